//! From annotated hooks to a server that has them.

use std::{
    any::type_name,
    fmt,
    marker::PhantomData,
    sync::{Arc, OnceLock},
};

use rmcp::ServerHandler;

use super::{
    Guidance, Hooked, Sessions,
    hooks::Hooks,
    settings::{self, Prepared, Settings},
    way::Stations,
};
use crate::{
    core::{BuildError, BuildErrors, Registry},
    guidance,
    session::SessionState,
};

/// The hooks of servers held as `H`: checked, frozen, ready to be tied to one server after another.
///
/// Made once a process; [`wrap`](Collected::wrap) is cheap.
pub struct Collected<H> {
    pub(super) hooks: Arc<Hooks>,
    settings: Settings,
    made: Arc<Made>,
    server: PhantomData<fn(&H)>,
}

/// What is made of the settings once.
#[derive(Debug, Default)]
struct Made {
    guide: OnceLock<Prepared>,
    stations: OnceLock<Arc<Stations>>,
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
        BuildErrors::check(settings::problems(&registry))?;
        Ok(Collected::prepare(registry))
    }

    fn gather() -> (Collected<H>, Vec<BuildError>) {
        let (registry, mut problems) = Registry::gather::<H>();
        problems.extend(settings::problems(&registry));
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
        Collected {
            hooks: Arc::new(Hooks::of(registry)),
            settings: Settings::default(),
            made: Arc::default(),
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
    pub fn sessions(self, sessions: Sessions) -> Collected<H> {
        self.set(|settings| settings.sessions = Some(sessions))
    }

    /// Says how guidance reaches the agent, with the same hooks for every server that is wrapped.
    #[must_use]
    pub fn guidance(self, guidance: Guidance) -> Collected<H> {
        self.set(|settings| settings.guidance = Some(guidance))
    }

    /// Sets how long MCPL hosts are waited for, by every server that is wrapped.
    #[cfg(feature = "mcpl")]
    #[must_use]
    pub fn mcpl(self, mcpl: crate::mcpl::McplSettings) -> Collected<H> {
        self.set(|settings| settings.mcpl = Some(mcpl))
    }

    /// Takes the settings of a program in place of its own.
    #[cfg(feature = "cli")]
    pub(crate) fn overridden_by(self, others: Settings) -> Collected<H> {
        self.set(|settings| settings.override_with(others))
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Collected<H> {
        change(&mut self.settings);
        self.made = Arc::default();
        self
    }

    /// The guidance, if there is some and its settings fit the hooks.
    pub(super) fn guide(&self) -> Prepared {
        let prepare = || self.settings.guide(&self.hooks.registry);
        self.made.guide.get_or_init(prepare).clone()
    }

    /// Ties the hooks to a server.
    ///
    /// # Errors
    ///
    /// Every hook, and everything of the settings, that does not fit the server's tools. The SDK checks this for the first
    /// server only, since later ones of the same type have the same tools.
    pub fn wrap(&self, server: H) -> Result<Hooked<H>, BuildErrors> {
        let stations = match self.made.stations.get() {
            Some(stations) => stations.clone(),
            None => {
                let guide = || self.guide();
                let made = self.settings.stations(&self.hooks, guide, &server, None)?;
                self.made.stations.get_or_init(|| made).clone()
            }
        };
        let (hooks, settings) = (self.hooks.clone(), self.settings.clone());
        Ok(Hooked::new(server, hooks, settings, stations))
    }
}

impl<H> Clone for Collected<H> {
    fn clone(&self) -> Collected<H> {
        Collected {
            hooks: self.hooks.clone(),
            settings: self.settings.clone(),
            made: self.made.clone(),
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
        let wrapped = collected.wrap(self);
        if let Err(more) = &wrapped {
            problems.extend(more.clone());
        }
        BuildErrors::check(problems)?;
        wrapped
    }
}

impl<H: ServerHandler> WithHooks for H {}
