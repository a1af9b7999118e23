//! Finding the hooks that fire, making their texts, and composing them.

use std::{any::Any, sync::Arc};

use futures::future::join_all;
use serde_json::{Map, Value};

use super::Guide;
use crate::{
    core::{Failure, glob},
    guidance::{
        ComposedHooksResult, FailedHook, FeatureSet, Firing, Hook, HookDefinition, HookQuery,
        LoadError, Loaded, Moment, ResolvedHook, SkippedHook,
    },
};

/// Which hooks fire, and what they are told.
#[derive(Clone, Copy)]
pub(super) struct Ask<'a> {
    /// The moments that have come.
    pub(super) moments: &'a [Moment],
    /// The tool whose call it is about.
    pub(super) tool: Option<&'a str>,
    /// Whether hooks fire whatever tool they are about.
    pub(super) any_tool: bool,
    /// The session, by the name under which hooks know it.
    pub(super) session: Option<&'a str>,
    pub(super) request: Option<&'a str>,
    /// Only hooks with this tag, as their own or among their tags.
    pub(super) tag: Option<&'a str>,
    pub(super) features: FeatureSet,
    /// The storage backend and the configuration, when they are not the server's own.
    pub(super) storage: Option<&'a str>,
    pub(super) config: Option<&'a Map<String, Value>>,
    /// Which of them are wanted here.
    pub(super) only: &'a (dyn Fn(&HookDefinition) -> bool + Sync),
}

impl<'a> Ask<'a> {
    pub(super) fn at(moments: &'a [Moment], features: FeatureSet) -> Ask<'a> {
        Ask {
            moments,
            tool: None,
            any_tool: false,
            session: None,
            request: None,
            tag: None,
            features,
            storage: None,
            config: None,
            only: &|_| true,
        }
    }

    fn wants(&self, hook: &HookDefinition) -> bool {
        // A query without a session or request finds everybody's; here it must find nobody's.
        let bound_to = |bound: Option<&str>, own: Option<&str>| {
            bound.is_none_or(|bound| bound.is_empty() || own == Some(bound))
        };
        let about = |pattern| self.tool.is_some_and(|tool| glob::matches(pattern, tool));
        let tagged = |tag| hook.tag() == tag || hook.tags().iter().any(|each| each == tag);
        bound_to(hook.session_id(), self.session)
            && bound_to(hook.request_id(), self.request)
            && (self.any_tool || hook.tool().is_none_or(about))
            && self.tag.is_none_or(tagged)
            && (self.only)(hook)
    }
}

impl Guide {
    /// The features of the server and of its client.
    pub(super) fn features_with(&self, client: FeatureSet) -> FeatureSet {
        client.union(self.features.get().copied().unwrap_or_default())
    }

    /// Composes what fires; hooks that fail are told of in the result.
    pub(super) async fn compose(
        &self,
        server: &(dyn Any + Send + Sync),
        ask: &Ask<'_>,
    ) -> ComposedHooksResult {
        let shared = self.registry();
        let own = ask.session.and_then(|session| self.bound_to(session));
        let mut hooks = Vec::new();
        let mut skipped = Vec::new();
        for registry in [Some(&shared), own.as_ref()].into_iter().flatten() {
            for moment in ask.moments {
                let query = HookQuery {
                    features: ask.features,
                    storage: ask.storage.or(self.settings.storage.as_deref()),
                    config: ask.config.or(self.settings.config.as_deref()),
                    session_id: ask.session,
                    request_id: ask.request,
                    ..HookQuery::at(moment.hook_type, moment.lifecycle)
                };
                let found = registry.query_with_transparency(&query);
                hooks.extend(found.hooks.into_iter().filter(|hook| ask.wants(hook)));
                let wanted = |skipped: &SkippedHook| {
                    registry
                        .get(&skipped.hook.id)
                        .is_some_and(|hook| ask.wants(hook))
                };
                skipped.extend(found.skipped.into_iter().filter(wanted));
            }
        }
        let (resolved, failed) = self.texts(&hooks, server, ask).await;
        self.composer
            .compose_with_transparency(&resolved, skipped, failed)
    }

    /// The texts of hooks, in their order; those that have nothing to say this time are left out.
    async fn texts<'h>(
        &self,
        hooks: &[&'h HookDefinition],
        server: &(dyn Any + Send + Sync),
        ask: &Ask<'_>,
    ) -> (Vec<ResolvedHook<'h>>, Vec<FailedHook>) {
        let (made, loaded): (Vec<&HookDefinition>, Vec<&HookDefinition>) =
            hooks.iter().partition(|hook| self.is_computed(hook));
        let mut made = join_all(made.iter().map(|hook| self.make(hook, server, ask)))
            .await
            .into_iter();
        let Loaded {
            resolved: mut loaded,
            mut failed,
        } = self.texts.load_all(&loaded).await;
        loaded.reverse();
        let mut resolved = Vec::with_capacity(hooks.len());
        for hook in hooks {
            if !self.is_computed(hook) {
                let next = loaded.pop_if(|next| Arc::ptr_eq(next.summary(), hook.summary()));
                resolved.extend(next);
                continue;
            }
            match made.next() {
                Some(Ok(Some(text))) => resolved.push(ResolvedHook::new(hook.summary(), text)),
                Some(Err(failure)) => {
                    let error = LoadError::Failed(failure.to_string().into());
                    failed.push(FailedHook::new(hook.summary(), error));
                }
                Some(Ok(None)) | None => {}
            }
        }
        (resolved, failed)
    }

    pub(super) fn is_computed(&self, hook: &HookDefinition) -> bool {
        // A hook that came later under the id of one that went has its own text.
        hook.input().text.is_none() && self.computed.contains_key(hook.id())
    }

    async fn make(
        &self,
        hook: &HookDefinition,
        server: &(dyn Any + Send + Sync),
        ask: &Ask<'_>,
    ) -> Result<Option<String>, Failure> {
        let computed = self
            .computed
            .get(hook.id())
            .and_then(|entry| entry.detail::<Hook>());
        let Some(computed) = computed else {
            return Ok(None);
        };
        let owned = |text: &str| text.to_owned();
        let firing = Firing {
            tool: ask.tool.map(owned),
            request_id: ask.request.map(owned),
            session_id: ask.session.map(owned),
            ..Firing::at(Moment::new(hook.hook_type(), hook.lifecycle()))
        };
        computed.text(server, &firing).await
    }
}
