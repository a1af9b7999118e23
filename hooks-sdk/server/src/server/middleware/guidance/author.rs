//! The author's settings of guidance, and their defaults.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value};

use hooks_core::{
    guidance::{Composer, ContentLoader, DEFAULT_APP, Folder, HookInput},
    internal::{debugs, setters},
};

/// Settings of guidance: its hooks, its conditions, its limits and the routes by which it reaches the agent.
///
/// You need it only to change a default.
///
/// ```
/// use hooks_sdk::{guidance::Composer, server::{Guidance, Route}};
///
/// let guidance = Guidance::new()
///     .app("memory")
///     .storage("sqlite")
///     .composer(Composer::new().max_hooks(20))
///     .without(Route::Instructions);
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Guidance {
    pub(super) app: Cow<'static, str>,
    pub(super) storage: Option<Cow<'static, str>>,
    pub(super) config: Option<Arc<Map<String, Value>>>,
    pub(super) folder: Vec<HookInput>,
    pub(super) texts: Option<Arc<ContentLoader>>,
    pub(super) composer: Composer,
    pub(super) off: Vec<Route>,
    pub(super) triggers: bool,
    pub(super) registers: bool,
    pub(super) full_page: bool,
    pub(super) by_own_hooks: Option<ByOwnHooks>,
}

/// Returns whether the client with this name already gets guidance by its own hooks.
#[derive(Clone)]
pub(super) struct ByOwnHooks(pub(super) Arc<dyn Fn(&str) -> bool + Send + Sync>);

debugs!(ByOwnHooks {});

/// A way on which guidance reaches the agent. The SDK uses every route that you do not switch off with
/// [`Guidance::without`].
///
/// ```
/// use hooks_sdk::server::{Guidance, Route};
///
/// let guidance = Guidance::new().without(Route::Prompts);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Route {
    /// Declarations, for clients that read them (SEP-2282): session start and end, and action hooks that name a tool.
    Declarations,
    /// The server's instructions in the handshake: session start.
    Instructions,
    /// The result of the call that opens or ends the session: session start and end.
    Results,
    /// The result of each tool call: action start, running and end.
    Actions,
    /// The result of a tool call that reported progress.
    Progress,
    /// The next result of the session after the client cancelled a call.
    Cancellation,
    /// MCP prompts: every moment.
    Prompts,
}

impl Guidance {
    /// Creates settings with every route, without storage and without configuration. Conditions on these two do not
    /// hold.
    pub fn new() -> Guidance {
        Guidance {
            app: Cow::Borrowed(DEFAULT_APP),
            storage: None,
            config: None,
            folder: Vec::new(),
            texts: None,
            composer: Composer::new(),
            off: Vec::new(),
            triggers: false,
            registers: false,
            full_page: false,
            by_own_hooks: None,
        }
    }

    setters! {
        /// Sets the app of hooks that name none. The default is `mcp-toolkit`.
        fn app(mut self, app: impl Into<Cow<'static, str>>) { self.app = app.into() }

        /// Sets the active storage backend, for hooks with a condition on it.
        fn storage(mut self, storage: impl Into<Cow<'static, str>>) { self.storage = Some(storage.into()) }

        /// Sets the configuration, for hooks with a condition on it. Without a configuration these conditions do not hold.
        fn config(mut self, config: Map<String, Value>) { self.config = Some(Arc::new(config)) }

        /// Adds the hooks of a folder of markdown files. You read the folder at run time, or embed it by other means than
        /// `dir!`.
        fn folder(mut self, folder: Folder) { self.folder.extend(folder) }

        /// Sets the loader of texts, for hooks that carry no text themselves.
        fn texts(mut self, texts: ContentLoader) { self.texts = Some(Arc::new(texts)) }

        /// Sets the composer, with its limits.
        ///
        /// The SDK always [shields](Composer::shielded) the texts of a server. It does not print one or two texts as a
        /// page, unless you call [`full_page`](Guidance::full_page).
        fn composer(mut self, composer: Composer) { self.composer = composer }

        /// Prints one or two texts as a page, too, as the reference implementation does.
        ///
        /// Without this setting, each of one or two texts begins with its level alone: `MUST: Ask before you delete.` A
        /// text of several lines begins on the line below its level. Three or more texts are always a page.
        fn full_page(mut self) { self.full_page = true }

        /// Switches a route off.
        fn without(mut self, route: Route) { self.off.push(route) }

        /// Sends prompts and no other guidance to clients that already get the guidance by their own hooks. So no text
        /// arrives twice.
        ///
        /// The SDK calls `is_one` with the name that the client gives itself. `is_one` returns `true` for such a client.
        fn by_own_hooks(mut self, is_one: impl Fn(&str) -> bool + Send + Sync + 'static) {
            self.by_own_hooks = Some(ByOwnHooks(Arc::new(is_one)));
        }

        /// Serves the tool `hooks_trigger`. It composes the guidance for a type, lifecycle, storage, features and
        /// configuration that the caller chooses.
        fn trigger_tool(mut self) { self.triggers = true }

        /// Serves the tool `hooks_register`. It adds a hook that is bound to the caller's session.
        fn register_tool(mut self) { self.registers = true }
    }
}

impl Default for Guidance {
    fn default() -> Guidance {
        Guidance::new()
    }
}
