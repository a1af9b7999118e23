//! Builds the middleware of a server from its settings.

use std::sync::Arc;

#[cfg(feature = "aos")]
use super::middleware::aos::{AosMiddleware, MessagesMiddleware, Serves};
#[cfg(feature = "log")]
use super::middleware::log::{DecisionLogSettings, LogMiddleware};
#[cfg(feature = "mcpl")]
use super::middleware::mcpl::Mcpl;
#[cfg(feature = "cli")]
use super::middleware::offer::OfferMiddleware;
#[cfg(feature = "plugin")]
use super::middleware::plugin::{
    Built, ListsMiddleware, PluginMiddleware, Policy, RecheckMiddleware,
};
#[cfg(any(feature = "aos", feature = "log", feature = "plugin"))]
use super::middleware::session::PrincipalOf;
#[cfg(feature = "guidance")]
use super::middleware::{guidance::GuidanceMiddleware, skills::SkillsMiddleware};
use super::{
    collect::ServerHooks,
    middleware::{
        guidance::{Guidance, Guide},
        lifecycle::Lifecycle,
    },
    pipeline::{Author, Middleware, Stack},
    settings::ServerSettings,
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
pub(super) fn stack(
    settings: &ServerSettings,
    hooks: &Arc<ServerHooks>,
    guide: Option<Prepared>,
    author: &dyn Author,
) -> Result<Arc<Stack>, BuildErrors> {
    let mut building = Building {
        settings,
        hooks,
        author,
        stack: Vec::new(),
        problems: Vec::new(),
    };
    building.place(settings.observer.clone());
    building.add(Building::session);
    building.add(|building| building.guidance_and_lifecycle(guide));
    #[cfg(feature = "cli")]
    building.place(settings.dry.clone().map(super::dry::DryMiddleware));
    #[cfg(feature = "cli")]
    building.place(settings.offer.clone().map(OfferMiddleware::new));
    #[cfg(feature = "guidance")]
    building.place(SkillsMiddleware::of(&hooks.registry));
    #[cfg(all(feature = "log", not(feature = "plugin")))]
    building.add(Building::log);
    #[cfg(feature = "plugin")]
    building.add(Building::policy);
    #[cfg(feature = "aos")]
    building.add(Building::guardian);
    #[cfg(feature = "aos")]
    building.place(Serves::new(&hooks.registry));
    #[cfg(feature = "mcpl")]
    building.place(Mcpl::new(
        &hooks.registry,
        settings.mcpl.unwrap_or_default(),
    ));
    let Building {
        stack,
        mut problems,
        ..
    } = building;
    for middleware in &stack {
        problems.extend(middleware.validate(author));
    }
    BuildErrors::check(problems)?;
    Ok(Arc::new(
        Stack::new(stack).with_deadline(settings.call_deadline),
    ))
}

/// The middleware that are built so far, and their problems.
struct Building<'b> {
    settings: &'b ServerSettings,
    hooks: &'b Arc<ServerHooks>,
    author: &'b dyn Author,
    stack: Vec<Arc<dyn Middleware>>,
    problems: Vec<BuildError>,
}

impl Building<'_> {
    fn place<S: Middleware>(&mut self, middleware: Option<S>) {
        let middleware = middleware.map(|it| Arc::new(it) as Arc<dyn Middleware>);
        self.stack.extend(middleware);
    }

    /// Builds middleware that may have problems. One that has a problem is left out.
    fn add(&mut self, build: impl FnOnce(&mut Self) -> Result<(), BuildErrors>) {
        if let Err(problems) = build(self) {
            self.problems.extend(problems);
        }
    }

    fn session(&mut self) -> Result<(), BuildErrors> {
        let Some(mut sessions) = self.settings.sessions.clone() else {
            return Ok(());
        };
        if let Some(shared) = &self.settings.shared {
            sessions = sessions.store_if_none(shared.store.clone());
        }
        let get_tool = |name: &str| self.author.tool(name);
        let gate = (sessions.gate)(&sessions, &self.hooks.registry, &get_tool)?;
        self.stack.extend(gate);
        Ok(())
    }

    fn guidance_and_lifecycle(&mut self, guide: Option<Prepared>) -> Result<(), BuildErrors> {
        let guide =
            guide.unwrap_or_else(|| self::guide(&self.settings.guidance, &self.hooks.registry))?;
        let places = || self.settings.places.clone().unwrap_or_default();
        let has_guidance = guide.is_some() && cfg!(feature = "guidance");
        #[cfg(feature = "guidance")]
        self.place(guide.map(|guide| GuidanceMiddleware::new(guide, places())));
        let is_declared = has_guidance || !self.hooks.declarations.is_empty();
        self.place(is_declared.then(|| Lifecycle::new(self.hooks.clone(), places())));
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
        self.place(log.map(|log| LogMiddleware::new(log, user, None)));
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
            let of_file = || policy.and_then(Policy::log_of_file);
            let log = DecisionLogSettings::resolved(self.settings.log.as_ref(), of_file)?;
            let (user, tenant) = policy.map(Policy::names).unwrap_or_default();
            let user = user.or_else(|| self.principal());
            self.place(log.clone().map(|log| LogMiddleware::new(log, user, tenant)));
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
        self.place(Some(PluginMiddleware(built.clone())));
        if built.has_lists() {
            let lists = ListsMiddleware(built.clone());
            if let Some(Ok(machine)) = sessions.as_ref().map(|sessions| &sessions.machine) {
                let problem = lists.hidden_opening(machine.opening_tools(), self.author);
                BuildErrors::check(problem.into_iter().collect())?;
            }
            self.place(Some(lists));
        }
        self.place(Some(RecheckMiddleware(built)));
        Ok(())
    }

    #[cfg(feature = "aos")]
    fn guardian(&mut self) -> Result<(), BuildErrors> {
        let Some(client) = &self.settings.guardian else {
            return Ok(());
        };
        let guardian =
            AosMiddleware::build(client, self.principal(), &self.hooks.registry, self.author)?;
        self.place(MessagesMiddleware::new(client, self.author));
        self.place(Some(guardian));
        Ok(())
    }
}
