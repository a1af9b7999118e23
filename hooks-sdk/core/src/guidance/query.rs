//! Queries of the registry.

use serde_json::{Map, Value};

use super::{HookDefinition, HookType, Lifecycle, McpFeature, McpFeatures, composed::SkippedHook};
use crate::macros::setters;

/// A query: which hooks to find, and what the server and its client support.
///
/// A value that is not set restricts nothing. With a session or request id, the query finds hooks that are bound to
/// this id or to none. Without an id, it also finds hooks that are bound to others: if you compose for a client, set
/// both ids.
///
/// Implements the Hooks System document, "Registry API" and "Request Context".
///
/// ```
/// use hooks_sdk::guidance::{HookQuery, HookType, Lifecycle};
///
/// let query = HookQuery::at(HookType::Session, Lifecycle::Start).storage("sqlite");
/// assert_eq!(query.storage, Some("sqlite"));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct HookQuery<'q> {
    /// Only hooks about this.
    pub hook_type: Option<HookType>,
    /// Only hooks of this phase.
    pub lifecycle: Option<Lifecycle>,
    /// The storage backend that is active.
    pub storage: Option<&'q str>,
    /// The features that are available.
    pub features: McpFeatures,
    /// The configuration.
    pub config: Option<&'q Map<String, Value>>,
    /// Only hooks with one of these tags; none is no condition.
    pub tags: &'q [&'q str],
    /// Only hooks of this session or of none.
    pub session_id: Option<&'q str>,
    /// Only hooks of this request or of none.
    pub request_id: Option<&'q str>,
    /// The rules for conditions.
    pub rules: Rules,
}

/// The rules by which the conditions of hooks are evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rules {
    /// The rules of the document: all features are required; a missing configuration value fails, and values are
    /// compared at every depth.
    #[default]
    Document,
    /// The rules of the reference implementation: one feature is enough; a query without configuration passes every
    /// condition on it; arrays and objects never match.
    Reference,
}

/// The hooks that a query found, and the hooks that only their conditions excluded.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Queried<'h> {
    /// The hooks whose conditions hold, by priority.
    pub hooks: Vec<&'h HookDefinition>,
    /// The hooks whose conditions do not hold, by priority.
    pub skipped: Vec<SkippedHook>,
}

impl<'q> HookQuery<'q> {
    /// Makes a query for every hook without conditions.
    pub fn new() -> HookQuery<'q> {
        HookQuery::default()
    }

    /// Makes a query for the hooks of one moment.
    pub fn at(hook_type: HookType, lifecycle: Lifecycle) -> HookQuery<'q> {
        HookQuery {
            hook_type: Some(hook_type),
            lifecycle: Some(lifecycle),
            ..HookQuery::default()
        }
    }

    setters! {
        /// Only hooks about this.
        fn hook_type(mut self, hook_type: HookType) { self.hook_type = Some(hook_type) }

        /// Only hooks of this phase.
        fn lifecycle(mut self, lifecycle: Lifecycle) { self.lifecycle = Some(lifecycle) }

        /// Sets the active storage backend.
        fn storage(mut self, storage: &'q str) { self.storage = Some(storage) }

        /// Sets the available features.
        fn features(mut self, features: impl IntoIterator<Item = McpFeature>) {
            self.features = features.into_iter().collect();
        }

        /// Sets the configuration.
        fn config(mut self, config: &'q Map<String, Value>) { self.config = Some(config) }

        /// Only hooks with one of these tags.
        fn tags(mut self, tags: &'q [&'q str]) { self.tags = tags }

        /// Only hooks of this session or of none.
        fn session_id(mut self, session_id: &'q str) { self.session_id = Some(session_id) }

        /// Only hooks of this request or of none.
        fn request_id(mut self, request_id: &'q str) { self.request_id = Some(request_id) }

        /// Sets the rules for conditions.
        fn rules(mut self, rules: Rules) { self.rules = rules }
    }

    pub(super) fn wants(&self, hook: &HookDefinition) -> bool {
        self.hook_type.is_none_or(|wanted| wanted == hook.hook_type)
            && self.lifecycle.is_none_or(|wanted| wanted == hook.lifecycle)
            && free_or(hook.session_id.as_deref(), self.session_id)
            && free_or(hook.request_id.as_deref(), self.request_id)
            && self.wants_tags_of(hook)
    }

    fn wants_tags_of(&self, hook: &HookDefinition) -> bool {
        self.tags.is_empty() || hook.tags.iter().any(|tag| self.tags.contains(&&**tag))
    }
}

/// Returns whether a query for `wanted` finds a hook that is bound to `bound`. An empty id counts as none.
fn free_or(bound: Option<&str>, wanted: Option<&str>) -> bool {
    let given = |id: &&str| !id.is_empty();
    match (bound.filter(given), wanted.filter(given)) {
        (Some(bound), Some(wanted)) => bound == wanted,
        _ => true,
    }
}
