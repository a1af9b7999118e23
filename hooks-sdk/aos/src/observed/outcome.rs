//! What becomes of a step, and why it got no usable decision.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value};

use super::Unaskable;
use crate::Method;
use hooks_core::{Timestamp, internal::words};

/// What becomes of a step.
///
/// ```
/// use hooks_sdk::aos::StepOutcome;
///
/// fn text(before: &str, outcome: StepOutcome<String>) -> Result<String, String> {
///     match outcome {
///         StepOutcome::Allowed | StepOutcome::Bypassed(_) => Ok(before.to_owned()),
///         StepOutcome::Modified(changed) => Ok(changed),
///         StepOutcome::Denied(denied) => Err(denied.message.into_owned()),
///     }
/// }
/// assert_eq!(text("a", StepOutcome::Modified("b".to_owned())), Ok("b".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a denied step goes on if nobody looks"]
#[expect(
    clippy::exhaustive_enums,
    reason = "a caller has to handle each, and a new one would be a new decision"
)]
pub enum StepOutcome<T> {
    /// The step goes on.
    Allowed,
    /// The step goes on with this payload instead.
    Modified(T),
    /// The step does not go on: by the guardian's decision, by [`Posture::Deny`](crate::Posture::Deny) without one, or
    /// because the guardian cannot be asked about it.
    Denied(Denied),
    /// The step goes on without a decision, by [`Posture::Proceed`](crate::Posture::Proceed). It was logged,
    /// counted and recorded.
    Bypassed(FailureClass),
}

/// Why a step does not go on.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Denied {
    /// The guardian's message. Without a decision of the guardian, a sentence that says so.
    pub message: Cow<'static, str>,
    /// Why the guardian decided so.
    pub reasoning: Option<String>,
    /// Words for programs.
    pub reason_codes: Vec<String>,
    /// Further details.
    pub data: Option<Map<String, Value>>,
    /// Why there is no decision; `None` if the guardian denied the step, or cannot be asked about it.
    pub failure: Option<FailureClass>,
    /// Why the guardian cannot be asked about the step, under each posture; `None` if it was asked.
    pub unaskable: Option<Unaskable>,
    pub(super) sentence: Option<Arc<str>>,
}

impl Denied {
    /// A denial in these words, and nothing else.
    pub(super) fn saying(message: impl Into<Cow<'static, str>>) -> Denied {
        Denied {
            message: message.into(),
            reasoning: None,
            reason_codes: Vec::new(),
            data: None,
            failure: None,
            unaskable: None,
            sentence: None,
        }
    }

    /// A denial without a decision.
    pub(super) fn without_decision(undecided: &MissingDecision) -> Denied {
        let sentence = "it was not approved, because the guardian gave no decision";
        let mut denied = match undecided.status {
            Some(status) => Denied::saying(format!("{sentence}: HTTP status {status}")),
            None => Denied::saying(sentence),
        };
        denied.failure = Some(undecided.class);
        denied
    }

    /// A denial of what the guardian cannot be asked about.
    pub(super) fn not_asked(unaskable: Unaskable) -> Denied {
        let mut denied = Denied::saying(unaskable.sentence());
        denied.reason_codes = vec![format!("guardian_{unaskable}")];
        denied.unaskable = Some(unaskable);
        denied
    }

    /// Returns the text that replaces what was denied: the author's sentence, then the message.
    ///
    /// The sentence is `Blocked:`, unless [`GuardianClient::blocked_text`](super::GuardianClient::blocked_text) sets
    /// another.
    pub fn blocked_text(&self) -> String {
        let sentence = self.sentence.as_deref().unwrap_or("Blocked:");
        format!("{sentence} {}", self.message)
    }
}

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

words! {
    /// The kind of failure because of which a step got no usable decision.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum FailureClass, ALL: "Returns the class as a word, as in logs and traces." {
        /// The guardian did not answer in time.
        Timeout = "timeout",
        /// The guardian cannot be reached, or it closed the connection before its answer was complete.
        Unreachable = "unreachable",
        /// The guardian answered that it failed.
        GuardianError = "guardian_error",
        /// The answer is not a decision that the document allows.
        MalformedResponse = "malformed_response",
        /// The guardian's HTTP server refused the question, as it does for a wrong secret (401) or a wrong path (404).
        Rejected = "rejected",
        /// The guardian failed several times in a row, and is not asked for a while.
        CircuitOpen = "circuit_open",
        /// The step could not be sent at all.
        Other = "other",
    }
}

impl FailureClass {
    pub(super) const COUNT: usize = FailureClass::ALL.len();
}

/// The guardian gave no usable decision.
///
/// It names the class and the cause. It never contains what was asked or answered, nor the guardian's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{class}: {detail}")]
#[non_exhaustive]
pub struct MissingDecision {
    /// The kind of failure.
    pub class: FailureClass,
    /// The cause, in words for the server's log.
    pub detail: String,
    /// The status of the HTTP answer, if it was not 200.
    pub status: Option<u16>,
    /// Whether it would be the same for any step, such as when there is no connection.
    is_of_no_step: bool,
}

impl MissingDecision {
    pub(super) fn new(class: FailureClass, detail: impl Into<String>) -> MissingDecision {
        MissingDecision {
            class,
            detail: detail.into(),
            status: None,
            is_of_no_step: false,
        }
    }

    /// Says that the contents of the step are not the reason.
    pub(super) fn of_no_step(mut self) -> MissingDecision {
        self.is_of_no_step = true;
        self
    }

    /// Returns whether a large step may be the reason.
    pub(super) fn may_be_of_size(&self) -> bool {
        use FailureClass::{GuardianError, Timeout, Unreachable};
        matches!(self.class, Timeout | Unreachable | GuardianError) && !self.is_of_no_step
    }

    #[cfg(feature = "guardian-client")]
    pub(super) fn of_status(mut self, status: u16) -> MissingDecision {
        self.status = Some(status);
        self
    }
}
