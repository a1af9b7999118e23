//! Hooks that run after their request, and nobody waits for them.

use std::{
    any::Any,
    sync::{Arc, atomic::Ordering},
};

use tokio::sync::Semaphore;

use super::super::{Contexts, PluginContext, PluginPoint, hook::Body};
use super::{Chain, ChainEntry, ChainStep, Decision, answer::run};
use hooks_core::{
    Violation,
    internal::{Mut, Ref},
};

/// How many such hooks may run at the same time. For a further one, the request goes on without it.
const MOST: usize = 64;

/// The places of the hooks that run after their requests.
#[derive(Clone, Debug)]
pub(super) struct Later(Arc<Semaphore>);

impl Default for Later {
    fn default() -> Later {
        Later(Arc::new(Semaphore::new(MOST)))
    }
}

impl Later {
    /// Starts a hook. Returns whether there was a place.
    pub(super) fn start<P: PluginPoint>(
        &self,
        entry: &ChainEntry,
        server: &Arc<dyn Any + Send + Sync>,
        payload: &P::Payload,
        mut cx: PluginContext,
    ) -> bool {
        let Ok(place) = self.0.clone().try_acquire_owned() else {
            return false;
        };
        let (hook, tally) = (entry.hook.clone(), entry.tally.clone());
        let (server, payload) = (server.clone(), payload.clone());
        tokio::spawn(async move {
            let _place = place;
            let id = hook.id.clone();
            let mut step = ChainStep::new(id, P::AT, Decision::Suppressed, None);
            match &hook.body {
                Body::Deny(violation) => step.violation = Some(Violation::clone(violation)),
                Body::Call(call) => {
                    let Some(call) = call.typed::<(Ref<P::In>, Mut<PluginContext>), P::Out>()
                    else {
                        return;
                    };
                    match call
                        .within(
                            run::<P>(&hook),
                            hook.deadline,
                            &*server,
                            (&payload, &mut cx),
                        )
                        .await
                    {
                        Ok(Some(outcome)) if outcome.asks() => {
                            step.note = Some("it would have asked the user".to_owned());
                        }
                        Ok(Some(outcome)) if !outcome.continue_processing => {
                            step.violation = outcome.violation;
                            step.note = Some("it would have stopped the request".to_owned());
                        }
                        Ok(_) => return,
                        Err(failure) => {
                            tally.bypassed.fetch_add(1, Ordering::Relaxed);
                            step.decision = Decision::Bypassed;
                            step.note = Some(failure.to_string());
                        }
                    }
                }
            }
            super::ChainRecord::default().add(step);
        });
        true
    }
}

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
            let hook = &entry.hook;
            if !hook.filter.holds(payload, &contexts.global) {
                continue;
            }
            let decision = if self
                .later
                .start::<P>(entry, server, payload, contexts.of(entry))
            {
                Decision::Started
            } else {
                entry.tally.bypassed.fetch_add(1, Ordering::Relaxed);
                Decision::Refused
            };
            if contexts.record.every || decision == Decision::Refused {
                let id = hook.id.clone();
                contexts
                    .record
                    .add(ChainStep::new(id, P::AT, decision, None));
            }
        }
    }
}
