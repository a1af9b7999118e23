//! Finds the hooks that fire, makes their texts, and composes them.

use std::{any::Any, sync::Arc};

use futures::future::join_all;
use serde_json::{Map, Value};

use super::{Guide, RequestGuidance};
use hooks_core::{
    Failure, glob,
    guidance::{
        ComposedHooksResult, FailedHook, Firing, GuidanceHook, HookDefinition, HookQuery,
        LoadError, McpFeature, McpFeatures, Moment, ResolvedHook, SkippedHook,
    },
};

/// Selects the hooks that fire, and holds the data that they receive.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    /// The moments that occur.
    pub(super) moments: &'a [Moment],
    /// The tool of the call.
    pub(super) tool: Option<&'a str>,
    /// Whether hooks fire for any tool.
    pub(super) any_tool: bool,
    /// The request. A hook that is bound to another request, or to another session, does not fire.
    pub(super) around: Option<RequestGuidance<'a>>,
    /// If set, only hooks with this tag fire. It may be the `tag` of a hook or one of its `tags`.
    pub(super) tag: Option<&'a str>,
    pub(super) features: McpFeatures,
    /// The storage backend and the configuration, if they are not the server's own.
    pub(super) storage: Option<&'a str>,
    pub(super) config: Option<&'a Map<String, Value>>,
    /// A filter on the hooks.
    pub(super) only: &'a (dyn Fn(&HookDefinition) -> bool + Sync),
}

impl<'a> Ask<'a> {
    pub(super) fn at(moments: &'a [Moment], features: McpFeatures) -> Ask<'a> {
        Ask {
            moments,
            tool: None,
            any_tool: false,
            around: None,
            tag: None,
            features,
            storage: None,
            config: None,
            only: &|_| true,
        }
    }

    /// Returns whether a hook of the shared registry is not bound, or is bound to this session and request. Hooks of
    /// the request and of the session are in registries of their own.
    fn may_see(&self, hook: &HookDefinition) -> bool {
        let around = self.around;
        let given = |bound: &&str| !bound.is_empty();
        let session = hook.session_id.as_deref().filter(given);
        let request = hook.request_id.as_deref().filter(given);
        session.is_none_or(|bound| around.and_then(RequestGuidance::session_id) == Some(bound))
            && request.is_none_or(|bound| around.map(RequestGuidance::request_id) == Some(bound))
    }

    fn wants(&self, hook: &HookDefinition) -> bool {
        let about = |pattern| self.tool.is_some_and(|tool| glob::matches(pattern, tool));
        let tagged = |tag| hook.tag == tag || hook.tags.iter().any(|each| each == tag);
        (self.any_tool || hook.tool.as_deref().is_none_or(about))
            && self.tag.is_none_or(tagged)
            && (self.only)(hook)
    }
}

impl Guide {
    /// Returns the features of the server and of its client.
    pub(super) fn features_with(&self, client: McpFeatures) -> McpFeatures {
        // A program that only declares has no server, so its features are unknown. Only prompts of the guidance are
        // known.
        let prompts = || self.serves_prompts().then_some(McpFeature::Prompts);
        let learned = self.features.get().copied();
        client.union(learned.unwrap_or_else(|| prompts().into_iter().collect()))
    }

    /// Composes the hooks that fire. The result reports the hooks that fail.
    pub(super) async fn compose(
        &self,
        server: &(dyn Any + Send + Sync),
        ask: &Ask<'_>,
    ) -> ComposedHooksResult {
        self.compose_and(server, ask, |_| ()).await.0
    }

    /// Composes these texts.
    pub(crate) fn composed_of(&self, hooks: &[ResolvedHook<'_>]) -> String {
        self.composer.compose(hooks).content
    }

    /// Composes the hooks that fire, and returns what `keep` takes of their texts.
    pub(super) async fn compose_and<T>(
        &self,
        server: &(dyn Any + Send + Sync),
        ask: &Ask<'_>,
        keep: impl FnOnce(&[ResolvedHook<'_>]) -> T,
    ) -> (ComposedHooksResult, T) {
        let shared = self.registry();
        let own = ask.around.map(RequestGuidance::own_hooks);
        let own = own.iter().flatten().flatten().map(|own| (own, true));
        let (mut hooks, mut skipped) = (Vec::new(), Vec::new());
        for (registry, own) in std::iter::once((&shared, false)).chain(own) {
            // A query without ids also returns hooks that are bound to other sessions and requests. This filter removes
            // them.
            let wants = |hook: &HookDefinition| (own || ask.may_see(hook)) && ask.wants(hook);
            for moment in ask.moments {
                let mut query = HookQuery::at(moment.hook_type, moment.lifecycle);
                query.features = ask.features;
                query.storage = ask.storage.or(self.settings.storage.as_deref());
                query.config = ask.config.or(self.settings.config.as_deref());
                let found = registry.query_with_transparency(&query);
                hooks.extend(found.hooks.into_iter().filter(|hook| wants(hook)));
                let wanted =
                    |skipped: &SkippedHook| registry.get(&skipped.hook.id).is_some_and(wants);
                skipped.extend(found.skipped.into_iter().filter(wanted));
            }
        }
        let (resolved, failed) = self.texts(&hooks, server, ask).await;
        let kept = keep(&resolved);
        let composed = self
            .composer
            .compose_with_transparency(&resolved, skipped, failed);
        (composed, kept)
    }

    /// Returns the texts of hooks, in the order of the hooks, and the hooks that failed. Leaves out hooks that have no
    /// text this time.
    async fn texts<'h>(
        &self,
        hooks: &[&'h HookDefinition],
        server: &(dyn Any + Send + Sync),
        ask: &Ask<'_>,
    ) -> (Vec<ResolvedHook<'h>>, Vec<FailedHook>) {
        let (made, loaded): (Vec<&HookDefinition>, Vec<&HookDefinition>) =
            hooks.iter().partition(|hook| self.is_computed(hook));
        let texts = join_all(made.iter().map(|hook| self.make(hook, server, ask))).await;
        let loaded = self.texts.load_all(&loaded).await;
        let (mut resolved, mut failed) = (loaded.resolved, loaded.failed);
        if made.is_empty() {
            return (resolved, failed);
        }
        for (hook, text) in made.into_iter().zip(texts) {
            match text {
                Ok(text) => resolved.extend(text.map(|it| ResolvedHook::new(hook.summary(), it))),
                Err(failure) => {
                    let error = LoadError::Failed(failure.to_string().into());
                    failed.push(FailedHook::new(hook.summary(), error));
                }
            }
        }
        resolved.sort_by_cached_key(|each| {
            let mut hooks = hooks.iter();
            hooks.position(|hook| Arc::ptr_eq(hook.summary(), each.summary()))
        });
        (resolved, failed)
    }

    pub(super) fn is_computed(&self, hook: &HookDefinition) -> bool {
        // A hook may be registered later under the id of a removed one. It has its own text.
        hook.text.is_none() && self.computed.contains_key(hook.id())
    }

    async fn make(
        &self,
        hook: &HookDefinition,
        server: &(dyn Any + Send + Sync),
        ask: &Ask<'_>,
    ) -> Result<Option<String>, Failure> {
        let entry = self.computed.get(hook.id());
        let Some(computed) = entry.and_then(|entry| entry.detail::<GuidanceHook>()) else {
            return Ok(None);
        };
        let owned = |text: &str| text.to_owned();
        let mut firing = Firing::at(hook.moment());
        firing.tool = ask.tool.map(owned);
        firing.request_id = ask.around.map(RequestGuidance::request_id).map(owned);
        firing.session_id = ask.around.and_then(RequestGuidance::session_id).map(owned);
        computed.text(server, &firing).await
    }
}
