//! Errors of checkpoints, and how each is reported to the host.

use std::error::Error as StdError;

use thiserror::Error;

use super::{
    super::{ErrorObject, RollbackRequest, wire::RollbackResult},
    tree::Trouble,
};
use hooks_core::{HookError, store::StoreError};

/// Why a call has no state to work on, or why its state was not saved.
///
/// Converted to an [`ErrorObject`], which the host reads, the error says which side caused it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The request names a checkpoint that does not exist, or was pruned: -32005, MCPL 0.4.1 §8.7. It occurs only with
    /// [`refuse_unknown`](super::Checkpoints::refuse_unknown).
    #[error("there is no checkpoint `{checkpoint}`, or no longer")]
    NotFound {
        /// The checkpoint in the request.
        checkpoint: String,
    },
    /// The state in the request is not a state of this tree: -32602.
    #[error("`state` is not what this server keeps: {0}")]
    GivenState(HookError),
    /// A saved state can no longer be read, for example because its type changed.
    #[error("the state at `{checkpoint}` cannot be read: {reason}")]
    SavedState {
        /// The checkpoint with this state.
        checkpoint: String,
        /// What is wrong with it.
        reason: HookError,
    },
    /// The state cannot be converted to JSON.
    #[error("the state cannot be saved: {0}")]
    Unsaved(HookError),
    /// The state is larger than [`Checkpoints::largest_state`](super::Checkpoints::largest_state).
    #[error("the state has {size} bytes, and may have {limit}")]
    TooLarge {
        /// Its size as JSON, in bytes.
        size: usize,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The state is nested more deeply than readers of JSON accept.
    #[error("the state is nested deeper than {0} levels")]
    TooDeep(usize),
    /// The store cannot be reached, or it failed.
    #[error("the checkpoints cannot be reached: {0}")]
    Store(#[source] Box<dyn StdError + Send + Sync>),
}

impl From<Trouble> for CheckpointError {
    fn from(trouble: Trouble) -> CheckpointError {
        CheckpointError::Store(reason(trouble))
    }
}

impl From<CheckpointError> for ErrorObject {
    /// The error for the host. It reveals nothing about the inside of the server.
    fn from(error: CheckpointError) -> ErrorObject {
        match error {
            CheckpointError::NotFound { checkpoint } => {
                ErrorObject::checkpoint_not_found(&checkpoint)
            }
            CheckpointError::GivenState(_) => ErrorObject::invalid_params(error),
            CheckpointError::TooLarge { .. } | CheckpointError::TooDeep(_) => {
                ErrorObject::internal(error.to_string())
            }
            CheckpointError::SavedState { .. }
            | CheckpointError::Unsaved(_)
            | CheckpointError::Store(_) => ErrorObject::internal("the state cannot be reached"),
        }
    }
}

/// Why a rollback failed.
///
/// Your own hook at `rollback` returns it too, if its state is not in a tree of checkpoints.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RollbackError {
    /// The checkpoint does not exist, or was pruned: on the wire an error, -32005, MCPL 0.4.1 §8.7.
    #[error("there is no checkpoint `{checkpoint}`, or no longer")]
    NotFound {
        /// The checkpoint in the request.
        checkpoint: String,
    },
    /// What was done since the checkpoint cannot be undone: on the wire a result with `success: false`, MCPL 0.4.1
    /// §8.6.
    #[error("it cannot be undone: {reason}")]
    Irreversible {
        /// The reason, for the host.
        reason: String,
    },
    /// The store cannot be reached, or it failed: on the wire an error, -32603.
    #[error("the checkpoints cannot be reached: {0}")]
    Store(#[source] Box<dyn StdError + Send + Sync>),
}

impl RollbackError {
    /// Returns whether an error of a hook tells the host what it cannot have. Nothing failed then.
    pub(crate) fn is_an_answer(error: &HookError) -> bool {
        let error = error.get_ref().downcast_ref();
        matches!(
            error,
            Some(RollbackError::NotFound { .. } | RollbackError::Irreversible { .. })
        )
    }

    /// Converts it to the answer to `request`: MCPL 0.4.1 §8.6 and §8.7.
    ///
    /// # Errors
    ///
    /// The JSON-RPC error, unless the answer is a result.
    pub fn answer(&self, request: &RollbackRequest) -> Result<RollbackResult, ErrorObject> {
        match self {
            RollbackError::NotFound { checkpoint } => {
                Err(ErrorObject::checkpoint_not_found(checkpoint))
            }
            RollbackError::Irreversible { reason } => {
                Ok(RollbackResult::failed(&*request.checkpoint, &**reason))
            }
            RollbackError::Store(_) => Err(ErrorObject::internal("the state cannot be reached")),
        }
    }
}

impl From<Trouble> for RollbackError {
    fn from(trouble: Trouble) -> RollbackError {
        RollbackError::Store(reason(trouble))
    }
}

/// Returns why a store failed, without the words that both errors have themselves.
fn reason(trouble: Trouble) -> Trouble {
    match trouble.downcast() {
        Ok(error) => match *error {
            StoreError::Unreachable(reason) => reason,
            other => other.into(),
        },
        Err(other) => other,
    }
}
