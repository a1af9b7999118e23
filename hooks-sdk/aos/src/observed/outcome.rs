//! What a guardian ruled about a step.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value};

use super::{FailureClass, MissingDecision, Unaskable};

/// What becomes of a step.
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
