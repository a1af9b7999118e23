//! Hooks that run after their request, and nobody waits for them.

use std::{
    any::Any,
    sync::{Arc, atomic::Ordering},
};

use super::super::{Contexts, PluginContext, PluginHook, PluginPoint, hook::Body};
use super::{Chain, ChainRecord, ChainStep, Decision, Tally, answer::answered};
use hooks_core::Violation;

/// How many such hooks may run at the same time. For a further one, the request goes on without it.
pub(super) const MOST: usize = 64;

impl Chain {
    /// Starts the hooks of a point that run after their request, on the payload as it is used. The caller does so once,
    /// when nothing can stop the request any more.
    #[doc(hidden)]
    pub fn start_later<P: PluginPoint>(
        &self,
        later: &[usize],
        server: &Arc<dyn Any + Send + Sync>,
        payload: &P::Payload,
        contexts: &mut Contexts,
    ) {
        for entry in later.iter().map(|index| &self.entries[*index]) {
            if !entry.hook.filter.holds(payload, &contexts.global) {
                continue;
            }
            let decision = match self.later.clone().try_acquire_owned() {
                Ok(place) => {
                    let (hook, tally) = (entry.hook.clone(), entry.tally.clone());
                    let (server, payload) = (server.clone(), payload.clone());
                    let cx = contexts.of(entry);
                    tokio::spawn(async move {
                        let _place = place;
                        if let Some(step) = ended::<P>(hook, tally, server, payload, cx).await {
                            ChainRecord::default().add(step);
                        }
                    });
                    Decision::Started
                }
                Err(_) => {
                    entry.tally.bypassed.fetch_add(1, Ordering::Relaxed);
                    Decision::Refused
                }
            };
            if contexts.record.every || decision == Decision::Refused {
                let id = entry.hook.id.clone();
                let step = ChainStep::new(id, P::AT, decision, None);
                contexts.record.add(step);
            }
        }
    }
}

/// Runs a hook, and returns what has to be recorded of it.
async fn ended<P: PluginPoint>(
    hook: PluginHook,
    tally: Arc<Tally>,
    server: Arc<dyn Any + Send + Sync>,
    payload: P::Payload,
    mut cx: PluginContext,
) -> Option<ChainStep> {
    let mut step = ChainStep::new(hook.id.clone(), P::AT, Decision::Suppressed, None);
    if let Body::Deny(violation) = &hook.body {
        step.violation = Some(Violation::clone(violation));
        return Some(step);
    }
    match answered::<P>(&hook, &*server, &payload, &mut cx).await {
        Ok(Some(outcome)) if outcome.asks() => {
            step.note = Some("it would have asked the user".to_owned());
        }
        Ok(Some(outcome)) if !outcome.continue_processing => {
            step.violation = outcome.violation;
            step.note = Some("it would have stopped the request".to_owned());
        }
        Ok(_) => return None,
        Err(failure) => {
            tally.bypassed.fetch_add(1, Ordering::Relaxed);
            step.decision = Decision::Bypassed;
            step.note = Some(failure.to_string());
        }
    }
    Some(step)
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::{Outcome, Question, ToolCall, point};

    #[tokio::test]
    async fn what_a_hook_would_have_done_after_its_request_is_recorded() {
        let ends: [(Outcome<ToolCall>, Option<&str>); 3] = [
            (
                Outcome::ask(Question::confirm("Sure?")),
                Some("it would have asked the user"),
            ),
            (
                Outcome::deny(Violation::new("no")),
                Some("it would have stopped the request"),
            ),
            (Outcome::allow(), None),
        ];
        for (outcome, note) in ends {
            let hook = PluginHook::answering_any::<_, Outcome<ToolCall>>(
                "later",
                point::tool_pre_invoke,
                move |_, _| {
                    let outcome = outcome.clone();
                    Box::pin(async move { outcome })
                },
            );
            let call = ToolCall::new("delete", Map::new());
            let (tally, server, cx) = (Arc::default(), Arc::new(()), PluginContext::default());
            let step = ended::<point::tool_pre_invoke>(hook, tally, server, call, cx).await;
            assert_eq!(step.and_then(|step| step.note).as_deref(), note);
        }
    }
}
