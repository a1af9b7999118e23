//! From annotated hooks to a server that has them.

use std::{
    any::type_name,
    fmt,
    marker::PhantomData,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rmcp::ServerHandler;

use super::{
    Hooked,
    rooms::gate::{Gated, Sessions, Shared},
    rooms::guidance::Guided,
    rooms::lifecycle::tools::{self, HookTools},
    rooms::mcpl::{self, Mcpl},
};
use crate::{
    core::{BuildError, BuildErrors, Registry},
    guidance,
    lifecycle::{self, Declarations},
    session::SessionState,
};

/// The hooks of servers held as `H`: checked, frozen, ready to be tied to one server after another.
///
/// Made once a process; [`wrap`](Collected::wrap) is cheap.
pub struct Collected<H> {
    pub(super) hooks: Arc<Hooks>,
    sessions: Option<Arc<Shared>>,
    pub(super) guided: Guided,
    pub(super) mcpl: Mcpl,
    server: PhantomData<fn(&H)>,
}

/// What the adapter prepares from a registry once.
#[derive(Debug)]
pub(super) struct Hooks {
    pub(super) registry: Registry,
    pub(super) declarations: Declarations,
    pub(super) tools: HookTools,
    pub(super) warned: AtomicBool,
    fits: AtomicBool,
}

/// Gathers the annotated hooks that are linked into this program and belong to servers held as `H`.
///
/// # Errors
///
/// Every problem found: an id given twice, a malformed hook, hooks of which none is for `H`.
pub fn collect<H: ServerHandler>() -> Result<Collected<H>, BuildErrors> {
    let (collected, problems) = Collected::gather();
    BuildErrors::check(problems)?;
    Ok(collected)
}

impl<H: ServerHandler> Collected<H> {
    /// Takes hooks that were added by hand: for generic servers, and for those who dislike link-time magic.
    ///
    /// # Errors
    ///
    /// Every malformed hook.
    pub fn of(registry: Registry) -> Result<Collected<H>, BuildErrors> {
        let mut problems = lifecycle::problems(&registry);
        problems.extend(guidance::problems(&registry));
        problems.extend(mcpl::problems(&registry));
        BuildErrors::check(problems)?;
        Ok(Collected::prepare(registry))
    }

    fn gather() -> (Collected<H>, Vec<BuildError>) {
        let (registry, mut problems) = Registry::gather::<H>();
        problems.extend(lifecycle::problems(&registry));
        problems.extend(guidance::problems(&registry));
        problems.extend(mcpl::problems(&registry));
        if cfg!(debug_assertions) {
            for difference in guidance::differences() {
                tracing::warn!("{difference}");
            }
        }
        let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
        tracing::info!(server = type_name::<H>(), hooks = ?ids, "collected hooks");
        (Collected::prepare(registry), problems)
    }

    fn prepare(registry: Registry) -> Collected<H> {
        let guided = Guided::by_default(&registry);
        let mcpl = Mcpl::of(&registry);
        let hooks = Hooks {
            declarations: Declarations::of(&registry),
            tools: HookTools::of(&registry),
            registry,
            warned: AtomicBool::new(false),
            fits: AtomicBool::new(false),
        };
        Collected {
            hooks: Arc::new(hooks),
            sessions: None,
            guided,
            mcpl,
            server: PhantomData,
        }
    }

    /// The hooks.
    pub fn registry(&self) -> &Registry {
        &self.hooks.registry
    }

    /// Enforces a session state machine on every call of a tool, with the same sessions for every server that
    /// is wrapped: the states are the variants of `S`.
    #[must_use]
    pub fn session<S: SessionState>(self) -> Collected<H> {
        self.sessions(Sessions::of::<S>())
    }

    /// As [`session`](Collected::session), with a machine built at run time, another store, or other settings.
    #[must_use]
    pub fn sessions(mut self, sessions: Sessions) -> Collected<H> {
        self.sessions = Some(Arc::new(Shared::new(sessions)));
        self
    }

    /// Ties the hooks to a server.
    ///
    /// # Errors
    ///
    /// Every hook, and everything of the sessions, that does not fit the server's tools. This is looked at for the first server only,
    /// since the tools of later ones of the same type are the same.
    pub fn wrap(&self, server: H) -> Result<Hooked<H>, BuildErrors> {
        let mut problems = self.misfits(&server);
        let gate = self
            .sessions
            .as_ref()
            .map(|sessions| sessions.gate(&self.hooks.registry, &|name| server.get_tool(name)));
        let gated = match gate {
            None => Gated::No,
            Some(Ok(gate)) => Gated::Yes(gate),
            Some(Err(more)) => {
                problems.extend(more.clone());
                Gated::Broken(more)
            }
        };
        let guided = self.guided.clone().fitting(&server);
        for more in [guided.check(), self.mcpl.check()]
            .into_iter()
            .filter_map(Result::err)
        {
            problems.extend(more);
        }
        BuildErrors::check(problems)?;
        let mut hooked = Hooked::new(server, self.hooks.clone(), self.mcpl.clone()).gated(gated);
        hooked.guided = guided;
        Ok(hooked)
    }

    fn misfits(&self, server: &H) -> Vec<BuildError> {
        if self.hooks.fits.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut problems = tools::problems(&self.hooks.registry, |name| server.get_tool(name));
        problems.extend(mcpl::unbound(&self.hooks.registry, |name| {
            server.get_tool(name).is_some()
        }));
        self.hooks
            .fits
            .store(problems.is_empty(), Ordering::Relaxed);
        problems
    }
}

impl<H> Clone for Collected<H> {
    fn clone(&self) -> Collected<H> {
        Collected {
            hooks: self.hooks.clone(),
            sessions: self.sessions.clone(),
            guided: self.guided.clone(),
            mcpl: self.mcpl.clone(),
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

/// Ties a server to its annotated hooks.
pub trait WithHooks: ServerHandler {
    /// [`collect`] for this server, then [`Collected::wrap`] it.
    ///
    /// # Errors
    ///
    /// Everything that either finds, at once.
    fn with_hooks(self) -> Result<Hooked<Self>, BuildErrors> {
        let (collected, mut problems) = Collected::gather();
        problems.extend(collected.misfits(&self));
        BuildErrors::check(problems)?;
        collected.wrap(self)
    }
}

impl<H: ServerHandler> WithHooks for H {}
