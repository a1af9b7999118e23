//! What an author says about guidance, and how it is tied to a server.

use std::{borrow::Cow, fmt, sync::Arc};

use serde_json::{Map, Value};

use crate::guidance::{Composer, ContentLoader, DEFAULT_APP, Folder, HookInput};

/// How guidance reaches the agent: whose hooks, under which conditions, by which routes.
///
/// Only needed to change a default.
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

/// Whether the client of this name gets guidance by hooks of its own.
#[derive(Clone)]
pub(super) struct ByOwnHooks(pub(super) Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl fmt::Debug for ByOwnHooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ByOwnHooks")
    }
}

/// A way on which guidance reaches the agent; each is taken unless its author switches it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Route {
    /// Declarations for clients that read them (SEP-2282): session start and end, and action hooks that name a
    /// tool.
    Declarations,
    /// The server's instructions: session start.
    Instructions,
    /// The result of the call that opens or ends the session.
    Results,
    /// The result of each call of a tool: action start, running and end.
    Actions,
    /// The result of a call that reported progress.
    Progress,
    /// The session's next result after a call was cancelled.
    Cancellation,
    /// MCP prompts: every moment.
    Prompts,
}

impl Guidance {
    /// Every route, and no conditions met.
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

    /// The app of hooks that name none; `mcp-toolkit` unless told.
    pub fn app(mut self, app: impl Into<Cow<'static, str>>) -> Guidance {
        self.app = app.into();
        self
    }

    /// The storage backend that is active, for conditions on it.
    pub fn storage(mut self, storage: impl Into<Cow<'static, str>>) -> Guidance {
        self.storage = Some(storage.into());
        self
    }

    /// The configuration, for conditions on it; without one they do not hold.
    pub fn config(mut self, config: Map<String, Value>) -> Guidance {
        self.config = Some(Arc::new(config));
        self
    }

    /// Adds the hooks of a folder of markdown files, read at run time or embedded by other means than `dir!`.
    pub fn folder(mut self, folder: Folder) -> Guidance {
        self.folder.extend(folder);
        self
    }

    /// Where hooks that carry no text have theirs.
    pub fn texts(mut self, texts: ContentLoader) -> Guidance {
        self.texts = Some(Arc::new(texts));
        self
    }

    /// How texts are composed, with what limits. The server's compositions are always
    /// [shielded](Composer::shielded), and one or two texts are no page, unless [`full_page`](Guidance::full_page) says
    /// so.
    pub fn composer(mut self, composer: Composer) -> Guidance {
        self.composer = composer;
        self
    }

    /// Prints one or two texts as a page, too, as the reference implementation does.
    ///
    /// Without it each of them is framed by its level alone: `MUST: Ask before you delete.` A text of several lines
    /// stands below its level. Three texts and more are always a page.
    pub fn full_page(mut self) -> Guidance {
        self.full_page = true;
        self
    }

    /// Switches a route off.
    pub fn without(mut self, route: Route) -> Guidance {
        self.off.push(route);
        self
    }

    /// Leaves a client to which hooks of its own bring the guidance: it gets prompts and nothing else, so that
    /// no text arrives twice. `is_one` is asked with the name that the client gives itself.
    pub fn by_own_hooks(
        mut self,
        is_one: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Guidance {
        self.by_own_hooks = Some(ByOwnHooks(Arc::new(is_one)));
        self
    }

    /// Serves `hooks_trigger`, a tool that composes for a type, lifecycle, storage, features and configuration.
    pub fn trigger_tool(mut self) -> Guidance {
        self.triggers = true;
        self
    }

    /// Serves `hooks_register`, a tool that adds a hook bound to the caller's session.
    pub fn register_tool(mut self) -> Guidance {
        self.registers = true;
        self
    }
}

impl Default for Guidance {
    fn default() -> Guidance {
        Guidance::new()
    }
}
