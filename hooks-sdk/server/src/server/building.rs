//! Builds the middleware of a server from its settings.
//!
//! Middleware that have something in common are built together, by a function that receives only the settings they read. So
//! they are built again when one of these settings changes, and only then.

use std::sync::Arc;

#[cfg(feature = "aos")]
use super::middleware::aos::{AosMiddleware, MessagesMiddleware, Serves};
#[cfg(feature = "log")]
use super::middleware::log::{DecisionLogSettings, LogMiddleware};
#[cfg(feature = "mcpl")]
use super::middleware::mcpl::Mcpl;
#[cfg(feature = "cli")]
use super::middleware::offer::{Offer, OfferMiddleware};
#[cfg(feature = "plugin")]
use super::middleware::plugin::{
    Built, ListsMiddleware, PluginMiddleware, Policy, RecheckMiddleware,
};
#[cfg(feature = "guidance")]
use super::middleware::{guidance::GuidanceMiddleware, skills::SkillsMiddleware};
use super::{
    capability::Places,
    collect::ServerHooks,
    middleware::{
        guidance::{Guidance, Guide},
        lifecycle::Lifecycle,
        observer::Observer,
        session::Sessions,
    },
    pipeline::{Author, Group, Middleware, Stack},
    settings::{ReplicaSettings, ServerSettings, Setting},
};
#[cfg(feature = "aos")]
use hooks_aos::GuardianClient;
use hooks_core::{BuildError, BuildErrors, Registry, guidance::GuidanceHook};
#[cfg(not(feature = "guidance"))]
use hooks_core::{Hook, guidance::Skill};
#[cfg(feature = "mcpl")]
use hooks_mcpl::McplSettings;

/// The prepared guidance, or `None` if the server has none.
pub(super) type Prepared = Result<Option<Arc<Guide>>, BuildErrors>;

/// Prepares the guidance of these hooks.
///
/// # Errors
///
/// Returns an error if the settings do not fit the hooks.
pub(super) fn guide(settings: &ServerSettings, hooks: &Registry) -> Prepared {
    prepare_guide(&settings.guidance, &settings.shared, hooks)
}

#[cfg(feature = "guidance")]
fn prepare_guide(
    guidance: &Setting<Guidance>,
    shared: &Setting<ReplicaSettings>,
    hooks: &Registry,
) -> Prepared {
    if guidance.is_none() && hooks.details::<GuidanceHook>().next().is_none() {
        return Ok(None);
    }
    let shared = shared.as_ref().map(|shared| shared.store.clone());
    let guide = Guide::prepare(
        guidance.as_ref().cloned().unwrap_or_default(),
        hooks,
        shared,
    )?;
    Ok(Some(Arc::new(guide)))
}

/// Refuses guidance where no program could have any.
#[cfg(not(feature = "guidance"))]
fn prepare_guide(
    guidance: &Setting<Guidance>,
    _: &Setting<ReplicaSettings>,
    hooks: &Registry,
) -> Prepared {
    let is_guidance =
        |hook: &&Hook| hook.detail::<GuidanceHook>().is_some() || hook.detail::<Skill>().is_some();
    let hook = hooks.iter().find(is_guidance);
    if guidance.is_none() && hook.is_none() {
        return Ok(None);
    }
    let problem = BuildError::new(
        hook.map(|hook| hook.origin()),
        "this program has guidance, and `hooks-sdk` is built without it",
        "switch the feature `guidance` of `hooks-sdk` on",
    );
    Err(BuildErrors::from(problem))
}

/// Builds the middleware for the author's server. Takes over those of `before` whose settings have not changed. `guide` is
/// the guidance of these settings, if it is prepared already.
///
/// # Errors
///
/// Returns every changed setting that does not fit the server.
pub(super) fn stack(
    settings: &ServerSettings,
    hooks: &Arc<ServerHooks>,
    guide: Option<Prepared>,
    author: &dyn Author,
    before: Option<&Stack>,
) -> Result<Arc<Stack>, BuildErrors> {
    let mut building = Building {
        context: BuildContext {
            hooks,
            author,
            guide,
        },
        before,
        groups: Vec::new(),
        problems: Vec::new(),
    };
    building.add((&settings.observer,), observer);
    #[cfg(all(feature = "log", not(feature = "plugin")))]
    building.add((&settings.log, &settings.sessions), log);
    building.add((&settings.sessions, &settings.shared), session);
    building.add(
        (&settings.guidance, &settings.shared, &settings.places),
        guidance_and_lifecycle,
    );
    #[cfg(feature = "cli")]
    building.add((&settings.dry,), dry);
    #[cfg(feature = "cli")]
    building.add((&settings.offer,), offer);
    #[cfg(feature = "guidance")]
    building.add((), skills);
    #[cfg(feature = "plugin")]
    building.add(
        PolicySettings {
            policy: &settings.policy,
            shared: &settings.shared,
            sessions: &settings.sessions,
            #[cfg(feature = "log")]
            log: &settings.log,
        },
        policy,
    );
    #[cfg(feature = "aos")]
    building.add((&settings.guardian, &settings.sessions), guardian);
    #[cfg(feature = "aos")]
    building.add((), serves);
    #[cfg(feature = "mcpl")]
    building.add((&settings.mcpl,), mcpl);
    BuildErrors::check(building.problems)?;
    let stack = Stack::new(building.groups);
    Ok(Arc::new(stack.with_deadline(settings.call_deadline)))
}

/// What middleware is built for, beside the settings.
struct BuildContext<'b> {
    hooks: &'b Arc<ServerHooks>,
    author: &'b dyn Author,
    guide: Option<Prepared>,
}

type BuiltGroup = Result<Vec<Arc<dyn Middleware>>, BuildErrors>;

fn observer((observer,): (&Setting<Observer>,), _: &BuildContext<'_>) -> BuiltGroup {
    Ok(observer.as_ref().cloned().map(placed).into_iter().collect())
}

fn session(
    (sessions, shared): (&Setting<Sessions>, &Setting<ReplicaSettings>),
    context: &BuildContext<'_>,
) -> BuiltGroup {
    let Some(mut sessions) = sessions.as_ref().cloned() else {
        return Ok(Vec::new());
    };
    if let Some(shared) = &**shared {
        sessions = sessions.store_if_none(shared.store.clone());
    }
    let get_tool = |name: &str| context.author.tool(name);
    (sessions.gate)(&sessions, &context.hooks.registry, &get_tool)
}

fn guidance_and_lifecycle(
    (guidance, shared, places): (
        &Setting<Guidance>,
        &Setting<ReplicaSettings>,
        &Setting<Places>,
    ),
    context: &BuildContext<'_>,
) -> BuiltGroup {
    let places = || places.as_ref().cloned().unwrap_or_default();
    let guide = match &context.guide {
        Some(prepared) => prepared.clone()?,
        None => prepare_guide(guidance, shared, &context.hooks.registry)?,
    };
    let mut stack = Vec::new();
    #[cfg(feature = "guidance")]
    stack.extend(guide.map(|guide| placed(GuidanceMiddleware::new(guide, places()))));
    #[cfg(not(feature = "guidance"))]
    drop(guide);
    if !stack.is_empty() || !context.hooks.declarations.is_empty() {
        stack.push(placed(Lifecycle::new(context.hooks.clone(), places())));
    }
    Ok(stack)
}

#[cfg(feature = "guidance")]
fn skills((): (), context: &BuildContext<'_>) -> BuiltGroup {
    let middleware = SkillsMiddleware::of(&context.hooks.registry);
    Ok(middleware.map(placed).into_iter().collect())
}

#[cfg(feature = "cli")]
fn offer((offer,): (&Setting<Offer>,), _: &BuildContext<'_>) -> BuiltGroup {
    let middleware = offer.as_ref().cloned().map(OfferMiddleware::new);
    Ok(middleware.map(placed).into_iter().collect())
}

#[cfg(feature = "cli")]
fn dry((dry,): (&Setting<Arc<super::dry::Dry>>,), _: &BuildContext<'_>) -> BuiltGroup {
    let middleware = dry.as_ref().cloned().map(super::dry::DryMiddleware);
    Ok(middleware.map(placed).into_iter().collect())
}

/// The settings of the policy, and of the log that it writes into.
#[cfg(feature = "plugin")]
struct PolicySettings<'s> {
    policy: &'s Setting<Policy>,
    shared: &'s Setting<ReplicaSettings>,
    sessions: &'s Setting<Sessions>,
    #[cfg(feature = "log")]
    log: &'s Setting<DecisionLogSettings>,
}

#[cfg(feature = "plugin")]
impl SettingsRead for PolicySettings<'_> {
    fn changed(&self) -> Vec<u64> {
        vec![
            self.policy.changed(),
            self.shared.changed(),
            self.sessions.changed(),
            #[cfg(feature = "log")]
            self.log.changed(),
        ]
    }
}

#[cfg(feature = "plugin")]
fn policy(settings: PolicySettings<'_>, context: &BuildContext<'_>) -> BuiltGroup {
    let (registry, author) = (&context.hooks.registry, context.author);
    let (policy, shared) = (settings.policy.as_ref(), settings.shared.as_ref());
    let sessions = settings.sessions;
    let principal = sessions.as_ref().and_then(|each| each.principal.clone());
    let mut stack = Vec::new();
    #[cfg(feature = "log")]
    let log = {
        let of_file = || policy.and_then(Policy::log_of_file);
        let log = DecisionLogSettings::resolved(settings.log.as_ref(), of_file)?;
        let (user, tenant) = policy.map(Policy::names).unwrap_or_default();
        let user = user.or_else(|| principal.clone());
        stack.extend(
            log.clone()
                .map(|log| placed(LogMiddleware::new(log, user, tenant))),
        );
        log
    };
    let built = Built::build(policy, principal, shared, registry, author)?;
    #[cfg(feature = "log")]
    let built = built.map(|built| built.logged(log));
    let Some(built) = built.map(Arc::new) else {
        return Ok(stack);
    };
    stack.push(placed(PluginMiddleware(built.clone())));
    if built.has_lists() {
        let lists = ListsMiddleware(built.clone());
        if let Some(Ok(machine)) = sessions.as_ref().map(|sessions| &sessions.machine) {
            let problem = lists.hidden_opening(machine.opening_tools(), author);
            BuildErrors::check(problem.into_iter().collect())?;
        }
        stack.push(placed(lists));
    }
    stack.push(placed(RecheckMiddleware(built)));
    Ok(stack)
}

#[cfg(all(feature = "log", not(feature = "plugin")))]
fn log(
    (log, sessions): (&Setting<DecisionLogSettings>, &Setting<Sessions>),
    _: &BuildContext<'_>,
) -> BuiltGroup {
    let user = sessions.as_ref().and_then(|each| each.principal.clone());
    let log = DecisionLogSettings::resolved(log.as_ref(), || None)?;
    let log = log.map(|log| placed(LogMiddleware::new(log, user, None)));
    Ok(log.into_iter().collect())
}

#[cfg(feature = "aos")]
fn guardian(
    (guardian, sessions): (&Setting<GuardianClient>, &Setting<Sessions>),
    context: &BuildContext<'_>,
) -> BuiltGroup {
    let Some(client) = &**guardian else {
        return Ok(Vec::new());
    };
    let principal = sessions.as_ref().and_then(|each| each.principal.clone());
    let messages = MessagesMiddleware::new(client, context.author);
    let messages = messages.map(placed);
    let middleware =
        AosMiddleware::build(client, principal, &context.hooks.registry, context.author)?;
    Ok(messages.into_iter().chain([placed(middleware)]).collect())
}

#[cfg(feature = "aos")]
fn serves((): (), context: &BuildContext<'_>) -> BuiltGroup {
    let middleware = Serves::new(&context.hooks.registry);
    Ok(middleware.map(placed).into_iter().collect())
}

#[cfg(feature = "mcpl")]
fn mcpl((mcpl,): (&Setting<McplSettings>,), context: &BuildContext<'_>) -> BuiltGroup {
    let middleware = Mcpl::new(&context.hooks.registry, mcpl.unwrap_or_default());
    Ok(middleware.map(placed).into_iter().collect())
}

/// The groups of middleware that [`middleware`] has built so far.
struct Building<'b> {
    context: BuildContext<'b>,
    before: Option<&'b Stack>,
    groups: Vec<Group>,
    problems: Vec<BuildError>,
}

impl Building<'_> {
    fn add<S: SettingsRead>(&mut self, settings: S, make: fn(S, &BuildContext<'_>) -> BuiltGroup) {
        let read = settings.changed();
        let before = self
            .before
            .map(|before| &before.groups()[self.groups.len()]);
        if let Some(group) = before.filter(|group| group.read == read) {
            self.groups.push(group.clone());
            return;
        }
        let stack = make(settings, &self.context).unwrap_or_else(|problems| {
            self.problems.extend(problems);
            Vec::new()
        });
        let misfits = stack.iter();
        let misfits = misfits.flat_map(|middleware| middleware.validate(self.context.author));
        self.problems.extend(misfits);
        self.groups.push(Group { read, stack });
    }
}

/// Returns a middleware without its type.
fn placed<S: Middleware>(middleware: S) -> Arc<dyn Middleware> {
    Arc::new(middleware)
}

/// The settings that a group of middleware reads.
trait SettingsRead {
    /// Returns the number of each setting's last change.
    fn changed(&self) -> Vec<u64>;
}

impl SettingsRead for () {
    fn changed(&self) -> Vec<u64> {
        Vec::new()
    }
}

impl<A> SettingsRead for (&Setting<A>,) {
    fn changed(&self) -> Vec<u64> {
        vec![self.0.changed()]
    }
}

impl<A, B> SettingsRead for (&Setting<A>, &Setting<B>) {
    fn changed(&self) -> Vec<u64> {
        vec![self.0.changed(), self.1.changed()]
    }
}

impl<A, B, C> SettingsRead for (&Setting<A>, &Setting<B>, &Setting<C>) {
    fn changed(&self) -> Vec<u64> {
        vec![self.0.changed(), self.1.changed(), self.2.changed()]
    }
}
