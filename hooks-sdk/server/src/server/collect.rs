//! Collects annotated hooks and ties them to servers.

use std::{
    any::{Any, type_name},
    fmt,
    marker::PhantomData,
    sync::{Arc, OnceLock},
};

use rmcp::{
    ServerHandler,
    model::{ServerConfig, Tool},
};

use super::{
    Hooked, HookedService,
    building::{self, Prepared},
    pipeline::{Author, Parts},
    settings::{self, ServerSettings, common_setters},
};
use hooks_core::{
    BuildError, BuildErrors, Declared, Registry,
    guidance::{self, McpFeature, McpFeatures, Skill},
    internal::debugs,
    lifecycle::{Declarations, Event, HookContent},
};
#[cfg(feature = "cli")]
use hooks_core::{
    guidance::{RequirementLevel, ResolvedHook},
    internal::ComposedText,
};

/// The hooks of a server.
#[derive(Debug)]
pub(crate) struct ServerHooks {
    pub(super) registry: Registry,
    pub(super) declarations: Declarations,
}

impl ServerHooks {
    pub(super) fn of(registry: Registry) -> ServerHooks {
        ServerHooks {
            declarations: Declarations::of(&registry),
            registry,
        }
    }
}

/// The checked hooks of servers of type `H`, ready to be tied to one server after another.
///
/// Create it once in a process. [`wrap`](Collected::wrap) is cheap.
///
/// ```
/// use hooks_sdk::server::{Collected, collect};
/// # use hooks_sdk::rmcp::ServerHandler;
/// # struct Notes;
/// # impl ServerHandler for Notes {}
///
/// // Once in the process, and then one server for each connection.
/// let hooks: Collected<Notes> = collect::<Notes>()?;
/// let first = hooks.wrap(Notes)?;
/// let second = hooks.wrap(Notes)?;
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
pub struct Collected<H> {
    pub(super) hooks: Arc<ServerHooks>,
    pub(super) settings: ServerSettings,
    /// What the SDK prepares from the settings once, for all servers.
    parts: Arc<OnceLock<Arc<Parts>>>,
    server: PhantomData<fn(&H)>,
}

/// Collects the annotated hooks that are linked into this program and belong to servers of type `H`.
///
/// # Errors
///
/// Returns every problem: an id that two hooks have, a malformed hook, or hooks of which none belongs to `H`.
pub fn collect<H: ServerHandler>() -> Result<Collected<H>, BuildErrors> {
    let (collected, problems) = Collected::gather();
    BuildErrors::check(problems)?;
    Ok(collected)
}

impl<H: ServerHandler> Collected<H> {
    /// Takes a registry to which you added the hooks by hand. Use it for generic servers, or to avoid collection at
    /// link time.
    ///
    /// # Errors
    ///
    /// Returns every malformed hook.
    pub fn of(registry: Registry) -> Result<Collected<H>, BuildErrors> {
        BuildErrors::check(settings::problems(&registry))?;
        Ok(Collected::prepare(registry))
    }

    fn gather() -> (Collected<H>, Vec<BuildError>) {
        let (registry, mut problems) = Registry::gather::<H>();
        problems.extend(settings::problems(&registry));
        if cfg!(debug_assertions) {
            for difference in guidance::differences() {
                warn!("{difference}");
            }
        }
        let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
        info!(server = type_name::<H>(), hooks = ?ids, "collected hooks");
        (Collected::prepare(registry), problems)
    }

    fn prepare(registry: Registry) -> Collected<H> {
        Collected {
            hooks: Arc::new(ServerHooks::of(registry)),
            settings: ServerSettings::default(),
            parts: Arc::default(),
            server: PhantomData,
        }
    }

    /// Returns the hooks.
    pub fn registry(&self) -> &Registry {
        &self.hooks.registry
    }

    /// Replaces the settings with those of a program, where the program has them.
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub fn overridden_by(self, others: ServerSettings) -> Collected<H> {
        self.set(|settings| settings.override_with(others))
    }

    /// Returns the machine of the sessions that the servers have.
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub fn machine(&self) -> Option<hooks_core::machine::Machine> {
        self.settings.sessions.as_ref()?.machine()
    }

    pub(super) fn set(mut self, change: impl FnOnce(&mut ServerSettings)) -> Collected<H> {
        change(&mut self.settings);
        self.parts = Arc::default();
        self
    }

    /// Returns the prepared guidance, or `None` if the hooks and settings have none. Returns an error if the settings
    /// do not fit the hooks.
    pub(super) fn guide(&self) -> Prepared {
        building::guide(&self.settings, &self.hooks.registry)
    }

    /// Ties the hooks to a server.
    ///
    /// # Errors
    ///
    /// Returns every hook and every setting that does not fit the server's tools. The SDK checks this for the first
    /// server only, because later servers of the same type have the same tools.
    pub fn wrap(&self, server: H) -> Result<Hooked<H>, BuildErrors> {
        let server = Arc::new(server);
        let author = author_of(&server);
        let parts = match self.parts.get() {
            Some(parts) => parts.clone(),
            None => {
                let parts = building::parts(&self.settings, &self.hooks, &*author)?;
                self.parts.get_or_init(|| parts).clone()
            }
        };
        let (hooks, settings) = (self.hooks.clone(), self.settings.clone());
        let service = HookedService::new(author, hooks, settings, parts);
        Ok(Hooked { server, service })
    }
}

common_setters!(Collected);

impl<H> Collected<H> {
    /// Returns the hooks for servers without their type.
    #[doc(hidden)]
    pub fn without_type(self) -> Collected<AnyAuthor> {
        Collected {
            hooks: self.hooks,
            settings: self.settings,
            parts: self.parts,
            server: PhantomData,
        }
    }
}

/// An author's server without its type. What serves it is compiled once.
#[doc(hidden)]
pub struct AnyAuthor(Arc<dyn Author>);

impl AnyAuthor {
    /// Takes a server.
    pub fn new(server: impl ServerHandler) -> AnyAuthor {
        AnyAuthor(author_of(&Arc::new(server)))
    }
}

/// [`Collected::wrap`] takes the server out again, so only these functions are called.
impl ServerHandler for AnyAuthor {
    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.0.tool(name)
    }

    fn get_info(&self) -> ServerConfig {
        self.0.info().unwrap_or_default()
    }
}

debugs!(AnyAuthor {});

/// Returns the server as the pipeline calls it.
pub(super) fn author_of<H: ServerHandler>(server: &Arc<H>) -> Arc<dyn Author> {
    match (&**server as &dyn Any).downcast_ref::<AnyAuthor>() {
        Some(AnyAuthor(author)) => author.clone(),
        None => server.clone(),
    }
}

impl<H> Clone for Collected<H> {
    fn clone(&self) -> Collected<H> {
        Collected {
            hooks: self.hooks.clone(),
            settings: self.settings.clone(),
            parts: self.parts.clone(),
            server: PhantomData,
        }
    }
}

impl<H> fmt::Debug for Collected<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Collected")
            .field(&self.hooks.registry)
            .finish()
    }
}

/// A guidance hook as its author wrote it. A declaration contains the composition of several such hooks.
#[cfg(feature = "cli")]
#[derive(Clone, Debug, PartialEq)]
pub struct AuthoredHook {
    /// Its name for people.
    pub name: String,
    /// Its requirement level.
    pub level: RequirementLevel,
    /// The text, or `None` if a function of the server makes it.
    pub text: Option<String>,
}

impl<H: ServerHandler> Collected<H> {
    /// Returns the skills that the hooks declare, in registry order. A server's own skills are not among them.
    pub fn skills(&self) -> Vec<Skill> {
        guidance::skills(&self.hooks.registry)
    }

    /// Returns the guidance hook with this id, as found in [`Declared::hooks`].
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub async fn guidance_hook(&self, id: &str) -> Option<AuthoredHook> {
        self.guide().ok()??.written(id).await
    }

    /// Returns the id and the moment of every guidance hook, declared or not.
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub fn guidance_moments(&self) -> Vec<(String, guidance::Moment)> {
        let guide = self.guide().ok().flatten();
        guide.map_or_else(Vec::new, |guide| guide.hooks())
    }

    /// Composes some of the texts of a declaration.
    #[cfg(feature = "cli")]
    #[doc(hidden)]
    pub fn composed(&self, parts: &[&ComposedText]) -> String {
        let hooks: Vec<ResolvedHook<'_>> = parts
            .iter()
            .map(|part| ResolvedHook::new(&part.summary, part.text.clone()))
            .collect();
        match self.guide() {
            Ok(Some(guide)) => guide.composed_of(&hooks),
            _ => String::new(),
        }
    }

    /// Returns the declarations for a client with these features that reads all of them: the lifecycle hooks, then
    /// guidance.
    ///
    /// Without `server`, the result leaves out guidance whose text a function makes when it fires.
    /// [`needs_server`](Collected::needs_server) returns whether there is such guidance.
    pub async fn declared(&self, features: McpFeatures, server: Option<&H>) -> Vec<Declared> {
        let declarations = &self.hooks.declarations;
        let mut all: Vec<Declared> = declarations
            .hooks()
            .map(|hook| Declared::new(vec![hook.id().to_owned()], hook.declaration()))
            .collect();
        if let Ok(Some(guide)) = self.guide() {
            let server = server.map(|server| server as &(dyn Any + Send + Sync));
            let (guidance, _) = guide
                .declared(server, features.with(McpFeature::Tools), |_| true)
                .await;
            all.extend(guidance);
        }
        all
    }

    /// Returns whether the declarations for an event need a server: for a context tool, or for a text that a function
    /// makes when it fires.
    pub fn needs_server(&self, event: Event) -> bool {
        let by_tool = self.hooks.declarations.hooks().any(|hook| {
            let content = hook.declaration().content;
            hook.event() == event && matches!(content, HookContent::ContextTool { .. })
        });
        by_tool || self.makes_text(event)
    }

    /// Returns whether a function of the server makes a guidance text at this event when it fires.
    pub fn makes_text(&self, event: Event) -> bool {
        let guide = self.guide().ok().flatten();
        guide.is_some_and(|guide| guide.is_made_at(event))
    }
}

/// Ties a server to its annotated hooks.
///
/// ```
/// use hooks_sdk::prelude::*;
/// # use hooks_sdk::rmcp::ServerHandler;
/// # struct Notes;
/// # impl ServerHandler for Notes {}
///
/// let server = Notes.with_hooks()?;
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
pub trait WithHooks: ServerHandler {
    /// Calls [`collect`] for this server, and then [`Collected::wrap`].
    ///
    /// # Errors
    ///
    /// Returns the problems of both steps together.
    fn with_hooks(self) -> Result<Hooked<Self>, BuildErrors> {
        let (collected, mut problems) = Collected::gather();
        let wrapped = collected.wrap(self);
        if let Err(more) = &wrapped {
            problems.extend(more.clone());
        }
        BuildErrors::check(problems)?;
        wrapped
    }
}

impl<H: ServerHandler> WithHooks for H {}
