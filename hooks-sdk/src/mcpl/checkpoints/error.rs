//! What can go wrong with checkpoints, and what a host is told of it.

use std::error::Error as StdError;

use thiserror::Error;

use super::{
    super::{ErrorObject, RollbackRequest, wire::RollbackResult},
    tree::Trouble,
};
use crate::core::HookError;

/// Why there is no state to work on, or why it was not kept.
///
/// As an [`ErrorObject`], which is what a host reads, it says whose fault it was.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The request names a checkpoint that is not there, or no longer: -32005, MCPL 0.4.1 §8.7. Only with
    /// [`refuse_unknown`](super::Checkpoints::refuse_unknown).
    #[error("there is no checkpoint `{checkpoint}`, or no longer")]
    NotFound {
        /// What the request named.
        checkpoint: String,
    },
    /// The request's state is none of this tree's: -32602.
    #[error("`state` is not what this server keeps: {0}")]
    GivenState(HookError),
    /// A state that was kept cannot be read any more, as after a change of its type.
    #[error("the state at `{checkpoint}` cannot be read: {reason}")]
    SavedState {
        /// Where it is kept.
        checkpoint: String,
        /// What is wrong with it.
        reason: HookError,
    },
    /// The state cannot be expressed as JSON.
    #[error("the state cannot be saved: {0}")]
    Unsaved(HookError),
    /// The state is larger than one may be; see [`Checkpoints::largest_state`](super::Checkpoints::largest_state).
    #[error("the state has {size} bytes, and may have {limit}")]
    TooLarge {
        /// Its size as JSON, in bytes.
        size: usize,
        /// The most that one may have.
        limit: usize,
    },
    /// The state is nested too deeply for readers of JSON.
    #[error("the state is nested deeper than {0} levels")]
    TooDeep(usize),
    /// The checkpoints cannot be reached, or their store failed.
    #[error("the checkpoints cannot be reached: {0}")]
    Store(#[source] Box<dyn StdError + Send + Sync>),
}

impl From<Trouble> for CheckpointError {
    fn from(trouble: Trouble) -> CheckpointError {
        CheckpointError::Store(trouble)
    }
}

impl From<CheckpointError> for ErrorObject {
    /// What the host is told: of the server's inside, nothing.
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

/// Why the state is not what it was at a checkpoint.
///
/// A hook that rolls back by itself, where the state lies outside of a tree, makes these too.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RollbackError {
    /// The checkpoint is not there, or no longer: an error on the wire, -32005, MCPL 0.4.1 §8.7.
    #[error("there is no checkpoint `{checkpoint}`, or no longer")]
    NotFound {
        /// What the request named.
        checkpoint: String,
    },
    /// What was done since cannot be undone: a result on the wire, `success: false`, MCPL 0.4.1 §8.6.
    #[error("it cannot be undone: {reason}")]
    Irreversible {
        /// Why, for the host.
        reason: String,
    },
    /// The checkpoints cannot be reached, or their store failed: an error on the wire, -32603.
    #[error("the checkpoints cannot be reached: {0}")]
    Store(#[source] Box<dyn StdError + Send + Sync>),
}

impl RollbackError {
    /// What a host is answered whose `request` came to this: MCPL 0.4.1 §8.6 and §8.7.
    ///
    /// # Errors
    ///
    /// The JSON-RPC error, where the answer is one.
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
        RollbackError::Store(trouble)
    }
}
