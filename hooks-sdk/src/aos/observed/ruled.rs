//! What a guardian ruled about a step.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Map, Value};

use super::FailureClass;

/// What becomes of a step.
#[derive(Clone, Debug, PartialEq)]
#[must_use = "a denied step goes on if nobody looks"]
#[expect(
    clippy::exhaustive_enums,
    reason = "a caller has to handle each, and a new one would be a new decision"
)]
pub enum Ruled<T> {
    /// The step goes on.
    Allowed,
    /// The step goes on with this payload instead.
    Modified(T),
    /// The step does not go on: by the guardian's decision, or by [`Posture::Deny`](crate::aos::Posture::Deny) without
    /// one.
    Denied(Denied),
    /// The step goes on without a decision, by [`Posture::Proceed`](crate::aos::Posture::Proceed). It was logged,
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
    /// Why there is no decision; `None` if the guardian denied the step.
    pub failure: Option<FailureClass>,
    pub(super) sentence: Option<Arc<str>>,
}

impl Denied {
    /// A denial without a decision.
    pub(super) fn without_decision(class: FailureClass) -> Denied {
        Denied {
            message: Cow::Borrowed("it was not approved, because the guardian gave no decision"),
            reasoning: None,
            reason_codes: Vec::new(),
            data: None,
            failure: Some(class),
            sentence: None,
        }
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
