//! Builds the middleware of a server from its settings.

use std::sync::Arc;

#[cfg(feature = "guardian-local")]
use super::middleware::aos::{Guarded, MessageFilter, Serves};
#[cfg(feature = "log")]
use super::middleware::log::{DecisionLogSettings, LogMiddleware};
#[cfg(feature = "mcpl")]
use super::middleware::mcpl::{self, Mcpl};
#[cfg(feature = "policy-engine")]
use super::middleware::plugin::Built;
#[cfg(all(feature = "log", feature = "policy-engine"))]
use super::middleware::plugin::Policy;
#[cfg(feature = "guidance")]
use super::middleware::skills::SkillsMiddleware;
use super::{
    collect::ServerHooks,
    middleware::{guidance::Guide, lifecycle::Lifecycle, session::SessionGate},
    pipeline::{Author, Parts},
    request::TextOfRequest,
    settings::ServerSettings,
};
#[cfg(feature = "policy-engine")]
use hooks_core::session::Machine;
use hooks_core::{BuildError, BuildErrors, Registry, guidance::GuidanceHook};
#[cfg(not(feature = "guidance"))]
use hooks_core::{Hook, guidance::Skill};

/// The prepared guidance, or `None` if the server has none.
pub(super) type Prepared = Result<Option<Arc<Guide>>, BuildErrors>;

/// Prepares the guidance of these hooks.
/// Returns an error if the settings do not fit the hooks.
#[cfg(feature = "guidance")]
pub(super) fn guide(settings: &ServerSettings, hooks: &Registry) -> Prepared {
    if settings.guidance.is_none() && hooks.details::<GuidanceHook>().next().is_none() {
        return Ok(None);
    }
    let guidance = settings.guidance.clone().unwrap_or_default();
    let guide = Guide::prepare(guidance, settings.places.clone(), hooks)?;
    Ok(Some(Arc::new(guide)))
}

/// Refuses guidance where no program could have any.
#[cfg(not(feature = "guidance"))]
pub(super) fn guide(settings: &ServerSettings, hooks: &Registry) -> Prepared {
    let is_guidance =
        |hook: &&Hook| hook.detail::<GuidanceHook>().is_some() || hook.detail::<Skill>().is_some();
    let hook = hooks.iter().find(is_guidance);
    if settings.guidance.is_none() && hook.is_none() {
        return Ok(None);
    }
    let problem = BuildError::new(
        hook.map(|hook| hook.origin()),
        "this program has guidance, and `hooks-sdk` is built without it",
        "switch the feature `guidance` of `hooks-sdk` on",
    );
    Err(BuildErrors::from(problem))
}

/// Builds the middleware for the author's server.
/// Returns every setting that does not fit the server.
pub(super) fn parts(
    settings: &ServerSettings,
    hooks: &Arc<ServerHooks>,
    author: &dyn Author,
) -> Result<Arc<Parts>, BuildErrors> {
    let registry = &hooks.registry;
    let mut parts = Parts::default();
    let mut built = BuiltParts::default();
    parts.deadline = settings.call_deadline;
    let gate = settings.sessions.clone().map(|sessions| {
        let sessions = match &settings.shared {
            Some(shared) => sessions.store_if_none(shared.store.clone()),
            None => sessions,
        };
        SessionGate::build(&sessions, registry, &|name| author.tool(name))
    });
    parts.gate = built.part(gate.transpose());
    let guide = built.part(guide(settings, registry));
    let is_declared = guide.is_some() || !hooks.declarations.is_empty();
    #[cfg(feature = "guidance")]
    {
        parts.guidance = guide;
        parts.skills = built.part(Ok(SkillsMiddleware::of(registry)));
    }
    let lifecycle = || Lifecycle::new(hooks.clone(), settings.places.clone());
    parts.lifecycle = built.part(Ok(is_declared.then(lifecycle)));
    #[cfg(feature = "cli")]
    {
        parts.dry = built.part(Ok(settings.dry.clone()));
        parts.offer = built.part(Ok(settings.offer.clone()));
    }
    #[cfg(feature = "log")]
    {
        parts.log = built.part(log(settings));
    }
    #[cfg(feature = "policy-engine")]
    {
        let (own, shared) = (settings.policy.as_ref(), settings.shared.as_ref());
        let policy = Built::build(own, principal(settings), shared, registry, author);
        let policy = built.part(policy);
        #[cfg(feature = "log")]
        let policy = policy.map(|policy| policy.logged(log_of(&parts).cloned()));
        parts.plugin = policy.map(Arc::new);
    }
    #[cfg(feature = "guardian-local")]
    {
        let client = settings.guardian.as_ref();
        let filter = |client| {
            MessageFilter::new(
                client,
                author,
                #[cfg(feature = "log")]
                log_of(&parts),
            )
        };
        let messages = client.and_then(filter);
        parts.messages = built.part(Ok(messages));
        let build = |client| Guarded::build(client, principal(settings), registry, author);
        parts.guardian = built.part(client.map(build).transpose());
        parts.serves = built.part(Ok(Serves::new(registry)));
    }
    #[cfg(feature = "mcpl")]
    {
        let mcpl = Mcpl::new(registry, settings.mcpl.unwrap_or_default());
        parts.mcpl = built.part(Ok(mcpl));
    }
    parts.is_passed = built.is_any;
    let mut problems = built.problems;
    #[cfg(feature = "guidance")]
    problems.extend(parts.guidance.iter().flat_map(|it| it.problems(author)));
    problems.extend(parts.lifecycle.iter().flat_map(|it| it.problems(author)));
    #[cfg(feature = "policy-engine")]
    if let Some(policy) = &parts.plugin {
        let machine = settings.sessions.as_ref().map(|it| &it.machine);
        let openers = machine
            .into_iter()
            .flatten()
            .flat_map(Machine::opening_tools);
        problems.extend(policy.hidden_opening(openers, author));
        problems.extend(policy.misfits(author));
    }
    #[cfg(feature = "guardian-local")]
    problems.extend(parts.guardian.iter().flat_map(|it| it.problems(author)));
    #[cfg(feature = "mcpl")]
    problems.extend(mcpl::problems(registry, author));
    BuildErrors::check(problems)?;
    Ok(Arc::new(parts.complete()))
}

/// What the middleware that are built so far tell.
#[derive(Default)]
struct BuiltParts {
    is_any: bool,
    problems: Vec<BuildError>,
}

impl BuiltParts {
    /// Notes whether there is a middleware. One that has a problem is left out.
    fn part<P>(&mut self, built: Result<Option<P>, BuildErrors>) -> Option<P> {
        let part = built.unwrap_or_else(|problems| {
            self.problems.extend(problems);
            None
        });
        self.is_any |= part.is_some();
        part
    }
}

/// Returns the function that finds the principal of a session.
fn principal(settings: &ServerSettings) -> Option<TextOfRequest> {
    settings.sessions.as_ref()?.principal.clone()
}

#[cfg(feature = "log")]
fn log(settings: &ServerSettings) -> Result<Option<LogMiddleware>, BuildErrors> {
    let own = settings.log.as_ref();
    #[cfg(feature = "policy-engine")]
    let policy = settings.policy.as_ref();
    #[cfg(feature = "policy-engine")]
    let (log, (user, tenant)) = (
        DecisionLogSettings::resolved(own, || policy.and_then(Policy::log_of_file))?,
        policy
            .map(|it| (it.user.clone(), it.tenant.clone()))
            .unwrap_or_default(),
    );
    #[cfg(not(feature = "policy-engine"))]
    let (log, (user, tenant)) = (DecisionLogSettings::resolved(own, || None)?, (None, None));
    let user = user.or_else(|| principal(settings));
    Ok(log.map(|log| LogMiddleware { log, user, tenant }))
}

#[cfg(feature = "log")]
fn log_of(parts: &Parts) -> Option<&hooks_log::DecisionLog> {
    parts.log.as_ref().map(|it| &it.log)
}
