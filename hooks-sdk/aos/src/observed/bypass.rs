//! The record of a step that went on without a decision.

use super::FailureClass;
use crate::Method;
use hooks_core::Timestamp;

/// A step that went on without a decision. It has the ids by which the step is found, and nothing of its contents.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bypass {
    /// The method of the step.
    pub method: Method,
    /// The agent's session.
    pub session_id: String,
    /// The turn of the session.
    pub turn_id: String,
    /// The step of the turn.
    pub step_id: String,
    /// The execution of the tool, if the step belongs to one.
    pub execution_id: String,
    /// The reason why there is no decision.
    pub class: FailureClass,
    /// When the step went on.
    pub at: Timestamp,
}
