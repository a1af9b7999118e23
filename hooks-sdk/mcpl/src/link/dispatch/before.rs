//! `context/beforeInference`: collects the injections of all hooks; the lowest priority comes first.

use std::sync::Arc;

use futures::future::join_all;
use serde_json::Value;

use super::{Unserved, failed, read, written};
use crate::{
    BeforeInference, ErrorObject, Injection, Link, Version,
    link::cx::DeferredWork,
    point,
    wire::{BeforeInferenceResult, method, path},
};

impl Link {
    /// Answers within the hooks' deadlines. If the host has not enabled the set, the answer injects nothing.
    pub(super) async fn before_inference(
        self: &Arc<Link>,
        params: Value,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Value, Unserved> {
        let set = self.set_at::<point::before_inference>();
        let set = set.ok_or(Unserved::NoMethod)?;
        let turn: BeforeInference = read(method::BEFORE_INFERENCE, params)?;
        let injections = self.injections(set, turn, after).await?;
        Ok(written(&BeforeInferenceResult::new(set, injections))?)
    }

    async fn injections(
        &self,
        set: &'static str,
        mut turn: BeforeInference,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Vec<Injection>, ErrorObject> {
        if !self.is_enabled(set) || !self.may_see_turns() {
            return Ok(Vec::new());
        }
        if !self.grants(path::OBSERVE) {
            turn.user_message = None;
        }
        let hooks: Vec<_> = self.derived.hooks_at::<point::before_inference>().collect();
        let runs = hooks.iter().map(|hook| async {
            let mut after = Vec::new();
            let answer = self
                .run::<point::before_inference>(hook, &turn, &mut after)
                .await;
            (*hook, answer, after)
        });
        let mut injections = Vec::new();
        for (hook, answer, work) in join_all(runs).await {
            let answer = answer.map_err(|failure| failed(hook, &failure))?;
            after.extend(work);
            injections.extend(answer.into_iter().flatten());
        }
        // The host may have revoked a permission while the hooks ran.
        if !self.is_enabled(set) {
            return Ok(Vec::new());
        }
        injections.retain(|injection: &Injection| {
            let granted = self.grants(path::inject(injection.position));
            if !granted {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    position = ?injection.position,
                    "an injection is left out: the host has not granted its position"
                );
            }
            granted
        });
        Ok(injections)
    }

    /// Whether the host granted any capability for which the hooks would run.
    fn may_see_turns(&self) -> bool {
        self.version == Version::V04 || path::BEFORE_INFERENCE.iter().any(|path| self.grants(path))
    }
}
