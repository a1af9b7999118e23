//! The middleware of a server: which there are, and in which order requests pass them.

use std::{fmt, ops::Range, sync::Arc};

use rmcp::model::Resource;

use super::{
    CallDeadline, Cleaner, Judges, MessageFilter, MessageMiddleware, Middleware, MiddlewareId,
    OptionalTraits, Provider, TaskResults, served::ServedTools, tasks::Tasks,
};
use crate::server::connection::Interests;

/// The middleware of a handshake, in order.
pub(super) const GREETING: &[MiddlewareId] = &[
    MiddlewareId::Gate,
    MiddlewareId::Guidance,
    MiddlewareId::Lifecycle,
    MiddlewareId::Mcpl,
    MiddlewareId::Offer,
];

/// The middleware before the author's server, in order.
pub(super) const BEFORE: &[MiddlewareId] = &[
    MiddlewareId::Log,
    MiddlewareId::Messages,
    MiddlewareId::Observer,
    MiddlewareId::Lists,
    MiddlewareId::Gate,
    MiddlewareId::Plugin,
    MiddlewareId::Guardian,
    MiddlewareId::Mcpl,
    MiddlewareId::Recheck,
    MiddlewareId::Skills,
    MiddlewareId::Guidance,
    MiddlewareId::Serves,
    MiddlewareId::Dry,
];

/// The middleware after the author's server, in order. This order is not the reverse of the order before the server.
pub(super) const AFTER: &[MiddlewareId] = &[
    MiddlewareId::Mcpl,
    MiddlewareId::Skills,
    MiddlewareId::Lists,
    MiddlewareId::Plugin,
    MiddlewareId::Guardian,
    MiddlewareId::Recheck,
    MiddlewareId::Dry,
    MiddlewareId::Gate,
    MiddlewareId::Guidance,
    MiddlewareId::Offer,
    MiddlewareId::Seal,
    MiddlewareId::Observer,
    MiddlewareId::Log,
];

/// The middleware that judge the contents of answers. They stand side by side in [`AFTER`].
const JUDGES: &[MiddlewareId] = &[MiddlewareId::Plugin, MiddlewareId::Guardian];

/// The middleware of a server, in the orders in which requests pass them.
pub(in crate::server) struct Stack {
    pub(super) all: Vec<Arc<dyn Middleware>>,
    pub(super) providers: Vec<Arc<dyn Provider>>,
    pub(super) listeners: Vec<Arc<dyn MessageMiddleware>>,
    pub(super) decider: Option<MessageFilter>,
    pub(super) greeting: Vec<Arc<dyn Middleware>>,
    pub(super) before: Vec<Arc<dyn Middleware>>,
    /// Each middleware with its index in `before`, if it is there.
    pub(super) after: Vec<(Option<usize>, Arc<dyn Middleware>)>,
    /// The middleware in `after` that judge contents.
    pub(super) judging: Range<usize>,
    pub(super) judges: Vec<Arc<dyn Judges>>,
    /// The middleware of `after` that take part in the results of tasks.
    pub(super) task_results: Vec<Arc<dyn TaskResults>>,
    pub(super) wants: Interests,
    pub(super) served: ServedTools,
    pub(super) tasks: Tasks,
    pub(super) deadline: Option<CallDeadline>,
    pub(super) cleaner: Option<Cleaner>,
}

impl Stack {
    pub(in crate::server) fn new(all: Vec<Arc<dyn Middleware>>) -> Stack {
        let mut traits: Vec<_> = all.iter().map(|each| each.clone().optional()).collect();
        let at = |place: &MiddlewareId| all.iter().find(|middleware| middleware.id() == *place);
        let in_order = |places: &[MiddlewareId]| -> Vec<Arc<dyn Middleware>> {
            places.iter().filter_map(at).cloned().collect()
        };
        let before = in_order(BEFORE);
        let passed = |after: &Arc<dyn Middleware>| {
            before
                .iter()
                .position(|middleware| middleware.id() == after.id())
        };
        let after = in_order(AFTER);
        let judges = |middleware: &Arc<dyn Middleware>| JUDGES.contains(&middleware.id());
        let judging = match (
            after.iter().position(judges),
            after.iter().rposition(judges),
        ) {
            (Some(first), Some(last)) => first..last + 1,
            _ => 0..0,
        };
        let wants = all.iter().map(|middleware| middleware.interests());
        let task_results = after
            .iter()
            .filter_map(|each| each.clone().optional().task_results);
        let providers = collect(&mut traits, |each| each.provider.take());
        #[cfg(feature = "aos")]
        let decider = collect(&mut traits, |each| each.decider.take())
            .into_iter()
            .next()
            .map(MessageFilter::new);
        #[cfg(all(feature = "aos", feature = "log"))]
        let decider = {
            let log = traits.iter_mut().find_map(|each| each.log.take());
            decider.map(|decider| decider.logged(log))
        };
        #[cfg(not(feature = "aos"))]
        let decider = None;
        let cleaners = collect(&mut traits, |each| each.cleaner.take());
        Stack {
            listeners: collect(&mut traits, |each| each.listener.take()),
            judges: collect(&mut traits, |each| each.judge.take()),
            task_results: task_results.collect(),
            decider,
            cleaner: cleaners.into_iter().next().map(Cleaner::new),
            greeting: in_order(GREETING),
            judging,
            deadline: None,
            after: after
                .into_iter()
                .map(|middleware| (passed(&middleware), middleware))
                .collect(),
            wants: wants.fold(Interests::NOTHING, |all, wants| all | wants),
            served: ServedTools::of(&providers),
            providers,
            before,
            all,
            tasks: Tasks::default(),
        }
    }

    /// Returns the middleware that see each message of a connection.
    pub(in crate::server) fn listeners(&self) -> &[Arc<dyn MessageMiddleware>] {
        &self.listeners
    }

    /// Returns the resources that the middleware serve.
    pub(in crate::server) fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.providers.iter().flat_map(|each| each.resources())
    }

    /// Returns the middleware that decides about whole messages, if there is one.
    pub(in crate::server) fn decider(&self) -> Option<&MessageFilter> {
        self.decider.as_ref()
    }

    /// Returns the middleware that cleans what belongs to no item.
    pub(in crate::server) fn cleaner(&self) -> Option<&Cleaner> {
        self.cleaner.as_ref()
    }

    /// Returns the middleware at `id`.
    pub(in crate::server) fn at(&self, place: MiddlewareId) -> Option<&Arc<dyn Middleware>> {
        self.all.iter().find(|middleware| middleware.id() == place)
    }
}

/// Takes one of the optional traits of each middleware that has it.
fn collect<T>(
    traits: &mut [OptionalTraits],
    take: impl Fn(&mut OptionalTraits) -> Option<T>,
) -> Vec<T> {
    traits.iter_mut().filter_map(take).collect()
}

impl fmt::Debug for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.all).finish()
    }
}
