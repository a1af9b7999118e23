//! `state/rollback`, with its three outcomes: done, impossible, or no such checkpoint.

use std::sync::Arc;

use serde_json::Value;

use super::{DispatchedAnswer, failed, read, written};
use crate::{
    ErrorObject, Link, RollbackRequest,
    checkpoints::RollbackError,
    point,
    wire::{RollbackResult, method},
};
use hooks_core::dispatch::Failure;

impl Link {
    /// Rolls back as far as the set's hook can (MCPL 0.4.1 §8.5, §8.6).
    pub(super) async fn rollback(self: &Arc<Link>, params: Value) -> Option<DispatchedAnswer> {
        self.derived.hooks_at::<point::rollback>().next()?;
        let request: RollbackRequest = match read(method::STATE_ROLLBACK, params) {
            Ok(request) => request,
            Err(error) => return Some(DispatchedAnswer::now(Err(error))),
        };
        let mut after = Vec::new();
        let name = request.feature_set.as_str();
        let hook = self
            .derived
            .hooks_at::<point::rollback>()
            .find(|hook| hook.definition().name == name);
        let Some(hook) = hook else {
            return Some(DispatchedAnswer::now(Err(
                ErrorObject::unknown_feature_set(name),
            )));
        };
        if !self.is_enabled(name) {
            return Some(DispatchedAnswer::now(Err(
                ErrorObject::feature_set_not_enabled(name, None),
            )));
        }
        let checkpoint = request.checkpoint.clone();
        let result = match self
            .run::<point::rollback>(hook, &request, &mut after)
            .await
        {
            Ok(Some(())) => Ok(RollbackResult::done(checkpoint)),
            Ok(None) => {
                let reason = "the state could not be rolled back; the server's log says why";
                Ok(RollbackResult::failed(checkpoint, reason))
            }
            Err(failure) => match of_state(&failure) {
                Some(error) => error.answer(&request),
                None => Err(failed(hook, &failure)),
            },
        };
        let result = result.and_then(|result| written(&result));
        Some(DispatchedAnswer::then(result, after))
    }
}

fn of_state(failure: &Failure) -> Option<&RollbackError> {
    match failure {
        Failure::Failed(error) => error.get_ref().downcast_ref(),
        _ => None,
    }
}
