//! `state/rollback`, with its three outcomes: done, impossible, or no such checkpoint.

use std::sync::Arc;

use serde_json::Value;

use super::{Unserved, failed, read, written};
use crate::{
    ErrorObject, Link, RollbackRequest,
    checkpoints::RollbackError,
    link::cx::DeferredWork,
    point,
    wire::{RollbackResult, method},
};
use hooks_core::dispatch::Failure;

impl Link {
    /// Rolls back as far as the set's hook can (MCPL 0.4.1 §8.5, §8.6).
    pub(super) async fn rollback(
        self: &Arc<Link>,
        params: Value,
        after: &mut Vec<DeferredWork>,
    ) -> Result<Value, Unserved> {
        let mut hooks = self.derived.hooks_at::<point::rollback>().peekable();
        hooks.peek().ok_or(Unserved::NoMethod)?;
        let request: RollbackRequest = read(method::STATE_ROLLBACK, params)?;
        let name = request.feature_set.as_str();
        if !self.live().present.contains(name) {
            return Err(ErrorObject::unknown_feature_set(name).into());
        }
        if !self.is_enabled(name) {
            return Err(ErrorObject::feature_set_not_enabled(name, None).into());
        }
        let checkpoint = request.checkpoint.clone();
        let Some(hook) = hooks.find(|hook| hook.definition().name == name) else {
            let reason = "the feature set is not declared with rollback";
            return Ok(written(&RollbackResult::failed(checkpoint, reason))?);
        };
        let result = match self.run::<point::rollback>(hook, &request, after).await {
            Ok(Some(())) => RollbackResult::done(checkpoint),
            Ok(None) => {
                let reason = "the state could not be rolled back; the server's log says why";
                RollbackResult::failed(checkpoint, reason)
            }
            Err(failure) => match of_state(&failure) {
                Some(error) => error.answer(&request)?,
                None => return Err(failed(hook, &failure).into()),
            },
        };
        Ok(written(&result)?)
    }
}

fn of_state(failure: &Failure) -> Option<&RollbackError> {
    match failure {
        Failure::Failed(error) => error.get_ref().downcast_ref(),
        _ => None,
    }
}
