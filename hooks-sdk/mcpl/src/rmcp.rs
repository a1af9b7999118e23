//! Errors of MCPL as errors of rmcp, so that a tool may use `?`. Rust lets only this package write these conversions.

use rmcp::{ErrorData, model::ErrorCode};

use crate::{ErrorObject, SendError, checkpoints::CheckpointError};

impl From<ErrorObject> for ErrorData {
    fn from(error: ErrorObject) -> ErrorData {
        let code = i32::try_from(error.code).unwrap_or(ErrorCode::INTERNAL_ERROR.0);
        ErrorData::new(ErrorCode(code), error.message, error.data)
    }
}

/// The error of a missing checkpoint is the document's own (MCPL 0.4.1 §8.7).
impl From<CheckpointError> for ErrorData {
    fn from(error: CheckpointError) -> ErrorData {
        ErrorObject::from(error).into()
    }
}

impl From<SendError> for ErrorData {
    fn from(error: SendError) -> ErrorData {
        error.to_error().into()
    }
}
