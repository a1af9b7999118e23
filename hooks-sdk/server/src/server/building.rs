//! Builds the middleware of a server from its settings.

use std::sync::Arc;

#[cfg(feature = "log")]
use super::middleware::log::{DecisionLogSettings, LogMiddleware};
#[cfg(feature = "mcpl")]
use super::middleware::mcpl::Mcpl;
#[cfg(feature = "cli")]
use super::middleware::offer::OfferMiddleware;
#[cfg(feature = "plugin")]
use super::middleware::plugin::Built;
#[cfg(any(feature = "aos", feature = "log", feature = "plugin"))]
use super::middleware::session::PrincipalOf;
#[cfg(feature = "guidance")]
use super::middleware::{guidance::GuidanceMiddleware, skills::SkillsMiddleware};
use super::{
    collect::ServerHooks,
    middleware::{
        guidance::{Guidance, Guide},
        lifecycle::Lifecycle,
        session::SessionGate,
    },
    pipeline::{Author, Parts},
    settings::ServerSettings,
};
#[cfg(feature = "aos")]
use super::{
    middleware::aos::{Guarded, MessagesMiddleware, Serves},
    pipeline::MessageFilter,
};
use hooks_core::{BuildError, BuildErrors, Registry, guidance::GuidanceHook};
#[cfg(not(feature = "guidance"))]
use hooks_core::{Hook, guidance::Skill};

/// The prepared guidance, or `None` if the server has none.
pub(super) type Prepared = Result<Option<Arc<Guide>>, BuildErrors>;

/// Prepares the guidance of these hooks.
///
/// # Errors
///
/// Returns an error if the settings do not fit the hooks.
#[cfg(feature = "guidance")]
pub(super) fn guide(settings: &Option<Guidance>, hooks: &Registry) -> Prepared {
    if settings.is_none() && hooks.details::<GuidanceHook>().next().is_none() {
        return Ok(None);
    }
    let settings = settings.as_ref().cloned().unwrap_or_default();
    Ok(Some(Arc::new(Guide::prepare(settings, hooks)?)))
}

/// Refuses guidance where no program could have any.
#[cfg(not(feature = "guidance"))]
pub(super) fn guide(settings: &Option<Guidance>, hooks: &Registry) -> Prepared {
    let is_guidance =
        |hook: &&Hook| hook.detail::<GuidanceHook>().is_some() || hook.detail::<Skill>().is_some();
    let hook = hooks.iter().find(is_guidance);
    if settings.is_none() && hook.is_none() {
        return Ok(None);
    }
    let problem = BuildError::new(
        hook.map(|hook| hook.origin()),
        "this program has guidance, and `hooks-sdk` is built without it",
        "switch the feature `guidance` of `hooks-sdk` on",
    );
    Err(BuildErrors::from(problem))
}

/// Builds the middleware for the author's server. `guide` is the guidance of these settings, if it is prepared already.
///
/// # Errors
///
/// Returns every setting that does not fit the server.
pub(super) fn parts(
    settings: &ServerSettings,
    hooks: &Arc<ServerHooks>,
    guide: Option<Prepared>,
    author: &dyn Author,
) -> Result<Arc<Parts>, BuildErrors> {
    let mut building = Building {
        settings,
        hooks,
        author,
        parts: Parts::default(),
        problems: Vec::new(),
    };
    building.parts.deadline = settings.call_deadline;
    building.place(settings.observer.clone(), |parts| &mut parts.observer);
    building.add(Building::session);
    building.add(|building| building.guidance_and_lifecycle(guide));
    #[cfg(feature = "cli")]
    building.place(settings.dry.clone(), |parts| &mut parts.dry);
    #[cfg(feature = "cli")]
    building.place(settings.offer.clone().map(OfferMiddleware::new), |parts| {
        &mut parts.offer
    });
    #[cfg(feature = "guidance")]
    building.place(SkillsMiddleware::of(&hooks.registry), |parts| {
        &mut parts.skills
    });
    #[cfg(all(feature = "log", not(feature = "plugin")))]
    building.add(Building::log);
    #[cfg(feature = "plugin")]
    building.add(Building::policy);
    #[cfg(feature = "aos")]
    building.add(Building::guardian);
    #[cfg(feature = "aos")]
    building.place(Serves::new(&hooks.registry), |parts| &mut parts.serves);
    #[cfg(feature = "mcpl")]
    building.place(
        Mcpl::new(&hooks.registry, settings.mcpl.unwrap_or_default()),
        |parts| &mut parts.mcpl,
    );
    building.fit();
    let Building {
        parts, problems, ..
    } = building;
    BuildErrors::check(problems)?;
    Ok(Arc::new(parts.complete()))
}

/// The middleware that are built so far, and their problems.
struct Building<'b> {
    settings: &'b ServerSettings,
    hooks: &'b Arc<ServerHooks>,
    author: &'b dyn Author,
    parts: Parts,
    problems: Vec<BuildError>,
}

impl Building<'_> {
    fn place<P>(&mut self, part: Option<P>, at: fn(&mut Parts) -> &mut Option<P>) {
        self.parts.is_passed |= part.is_some();
        *at(&mut self.parts) = part;
    }

    /// Builds middleware that may have problems. One that has a problem is left out.
    fn add(&mut self, build: impl FnOnce(&mut Self) -> Result<(), BuildErrors>) {
        if let Err(problems) = build(self) {
            self.problems.extend(problems);
        }
    }

    /// Finds the problems between the middleware and the author's server.
    fn fit(&mut self) {
        let Building {
            author,
            parts,
            problems,
            ..
        } = self;
        #[cfg(feature = "guidance")]
        problems.extend(
            parts
                .guidance
                .iter()
                .flat_map(|it| it.guide.problems(*author)),
        );
        problems.extend(parts.lifecycle.iter().flat_map(|it| it.problems(*author)));
        #[cfg(feature = "plugin")]
        problems.extend(parts.plugin.iter().flat_map(|it| it.misfits(*author)));
        #[cfg(feature = "aos")]
        problems.extend(parts.guardian.iter().flat_map(|it| it.problems(*author)));
        #[cfg(feature = "mcpl")]
        problems.extend(parts.mcpl.iter().flat_map(|it| it.problems(*author)));
    }

    fn session(&mut self) -> Result<(), BuildErrors> {
        let Some(mut sessions) = self.settings.sessions.clone() else {
            return Ok(());
        };
        if let Some(shared) = &self.settings.shared {
            sessions = sessions.store_if_none(shared.store.clone());
        }
        let get_tool = |name: &str| self.author.tool(name);
        let gate = SessionGate::build(&sessions, &self.hooks.registry, &get_tool)?;
        self.place(Some(gate), |parts| &mut parts.gate);
        Ok(())
    }

    fn guidance_and_lifecycle(&mut self, guide: Option<Prepared>) -> Result<(), BuildErrors> {
        let guide =
            guide.unwrap_or_else(|| self::guide(&self.settings.guidance, &self.hooks.registry))?;
        let places = || self.settings.places.clone().unwrap_or_default();
        let has_guidance = guide.is_some() && cfg!(feature = "guidance");
        #[cfg(feature = "guidance")]
        self.place(
            guide.map(|guide| GuidanceMiddleware::new(guide, places())),
            |parts| &mut parts.guidance,
        );
        let is_declared = has_guidance || !self.hooks.declarations.is_empty();
        self.place(
            is_declared.then(|| Lifecycle::new(self.hooks.clone(), places())),
            |parts| &mut parts.lifecycle,
        );
        Ok(())
    }

    /// Returns the function that finds the principal of a session.
    #[cfg(any(feature = "aos", feature = "log", feature = "plugin"))]
    fn principal(&self) -> Option<PrincipalOf> {
        self.settings.sessions.as_ref()?.principal.clone()
    }

    #[cfg(all(feature = "log", not(feature = "plugin")))]
    fn log(&mut self) -> Result<(), BuildErrors> {
        let log = DecisionLogSettings::resolved(self.settings.log.as_ref(), || None)?;
        let user = self.principal();
        self.place(
            log.map(|log| LogMiddleware::new(log, user, None)),
            |parts| &mut parts.log,
        );
        Ok(())
    }

    /// Builds the policy, and the log that it writes into.
    #[cfg(feature = "plugin")]
    fn policy(&mut self) -> Result<(), BuildErrors> {
        let ServerSettings {
            policy,
            shared,
            sessions,
            ..
        } = self.settings;
        let policy = policy.as_ref();
        #[cfg(feature = "log")]
        let log = {
            let of_file = || policy.and_then(super::middleware::plugin::Policy::log_of_file);
            let log = DecisionLogSettings::resolved(self.settings.log.as_ref(), of_file)?;
            let (user, tenant) = policy
                .map(super::middleware::plugin::Policy::names)
                .unwrap_or_default();
            let user = user.or_else(|| self.principal());
            self.place(
                log.clone().map(|log| LogMiddleware::new(log, user, tenant)),
                |parts| &mut parts.log,
            );
            log
        };
        let built = Built::build(
            policy,
            self.principal(),
            shared.as_ref(),
            &self.hooks.registry,
            self.author,
        )?;
        #[cfg(feature = "log")]
        let built = built.map(|built| built.logged(log));
        let Some(built) = built.map(Arc::new) else {
            return Ok(());
        };
        self.place(Some(built.clone()), |parts| &mut parts.plugin);
        if built.has_lists() {
            if let Some(Ok(machine)) = sessions.as_ref().map(|sessions| &sessions.machine) {
                let problem = built.hidden_opening(machine.opening_tools(), self.author);
                BuildErrors::check(problem.into_iter().collect())?;
            }
            self.place(Some(built), |parts| &mut parts.lists);
        }
        Ok(())
    }

    #[cfg(feature = "aos")]
    fn guardian(&mut self) -> Result<(), BuildErrors> {
        let Some(client) = &self.settings.guardian else {
            return Ok(());
        };
        let guardian = Guarded::build(client, self.principal(), &self.hooks.registry, self.author)?;
        let messages = MessagesMiddleware::new(client, self.author).map(MessageFilter::new);
        #[cfg(feature = "log")]
        let messages = messages.map(|messages| {
            let log = self.parts.log.as_ref();
            messages.logged(log.map(LogMiddleware::log))
        });
        self.place(messages, |parts| &mut parts.messages);
        self.place(Some(guardian), |parts| &mut parts.guardian);
        Ok(())
    }
}
