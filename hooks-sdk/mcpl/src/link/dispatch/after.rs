//! `context/afterInference` in both forms.

use std::{sync::Arc, time::Duration};

use serde_json::Value;

use super::{Unserved, failed, observed::Told, written};
use crate::{
    AfterInference, ErrorObject, Link, McplHook, Modified, Version,
    link::cx::DeferredWork,
    point,
    wire::{AfterInferenceResult, method},
};
use hooks_core::internal::within;

/// The deadline of all blocking hooks together, inside the host's ten seconds.
const DEADLINE: Duration = Duration::from_millis(9_500);

impl Link {
    /// Answers with what the blocking hooks, one after the other, make of the response.
    pub(super) async fn after_inference(
        self: &Arc<Link>,
        params: Value,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Value, Unserved> {
        let set = self.set_at::<point::after_inference>();
        let set = set.ok_or(Unserved::NoMethod)?;
        let mut changed = Modified::unchanged();
        // 0.5 has no such method. A host that sends it all the same gets an answer, and no hook sees the content.
        if self.version != Version::V04 {
            return Ok(written(&AfterInferenceResult::new(set, changed))?);
        }
        let told: Told<AfterInference> = Told::read(method::AFTER_INFERENCE, params)?;
        if self.is_enabled(set) {
            let Told { event, weight } = told;
            let told = || Told {
                event: event.clone(),
                weight,
            };
            self.observe(told, true, |hook| !hook.is_blocking());
            let chain = within(DEADLINE, self.chain(event, after)).await;
            changed = chain.map_err(|failure| {
                let failure = failure.for_peer();
                ErrorObject::internal(format!("the hooks after the inference failed: {failure}"))
            })??;
            if !self.is_enabled(set) {
                changed = Modified::unchanged();
            }
        }
        Ok(written(&AfterInferenceResult::new(set, changed))?)
    }

    /// Handles the notification: every hook observes.
    pub(super) fn after_inference_told(self: &Arc<Link>, params: Value) -> Result<(), ErrorObject> {
        let Some(set) = self.set_at::<point::after_inference>() else {
            return Ok(());
        };
        if self.version != Version::V04 {
            return Ok(());
        }
        let told: Told<AfterInference> = Told::read(method::AFTER_INFERENCE, params)?;
        if self.is_enabled(set) {
            self.observe(|| told, false, |_| true);
        }
        Ok(())
    }

    /// Passes the response from one blocking hook to the next.
    async fn chain(
        &self,
        mut turn: AfterInference,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Modified, ErrorObject> {
        let mut changed = Modified::unchanged();
        let hooks = self.derived.hooks_at::<point::after_inference>();
        for hook in hooks.filter(|hook| hook.is_blocking()) {
            let answer = self
                .run::<point::after_inference>(hook, &turn, after)
                .await
                .map_err(|failure| failed(hook, &failure))?;
            let Some(modified) = answer else { continue };
            if let Some(response) = modified.response {
                turn.assistant_message.clone_from(&response);
                changed.response = Some(response);
            }
            changed.metadata.extend(modified.metadata);
        }
        Ok(changed)
    }

    fn observe(
        self: &Arc<Link>,
        told: impl FnOnce() -> Told<AfterInference>,
        awaited: bool,
        which: fn(&McplHook) -> bool,
    ) {
        let watching = self.derived.hooks_at::<point::after_inference>().any(which);
        if watching {
            self.queue::<point::after_inference>(&self.turns, None, told(), awaited, which);
        }
    }
}
