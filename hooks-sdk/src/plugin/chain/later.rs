//! Hooks that run after their request, and nobody waits for them.

use std::{any::Any, sync::Arc};

use tokio::sync::Semaphore;

use super::super::{PluginContext, PluginHook, PluginPoint, hook::Body};
use super::{ChainStep, Decision, answer::run};
use crate::core::{
    Violation,
    callback::{Mut, Ref},
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
        hook: &PluginHook,
        server: &Arc<dyn Any + Send + Sync>,
        payload: &P::Payload,
        mut cx: PluginContext,
    ) -> bool {
        let Ok(place) = self.0.clone().try_acquire_owned() else {
            return false;
        };
        let (hook, server, payload) = (hook.clone(), server.clone(), payload.clone());
        tokio::spawn(async move {
            let _place = place;
            let mut step = ChainStep {
                hook: hook.id.clone(),
                point: P::AT,
                decision: Decision::Suppressed,
                cost: std::time::Duration::ZERO,
                violation: None,
                note: None,
            };
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
                        Ok(Some(outcome)) if !outcome.continue_processing => {
                            step.violation = outcome.violation;
                            step.note = Some("it would have stopped the request".to_owned());
                        }
                        Ok(_) => return,
                        Err(failure) => {
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
