//! Answers: what a guardian decides about a step.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{AosError, AosRequest, RequestId};
use hooks_core::internal::words;

words! {
    /// What a guardian decides.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[allow(
        clippy::exhaustive_enums,
        reason = "the document leaves the three, and a fourth would be a decision"
    )]
    pub enum AosDecision: "Returns the word on the wire." {
        /// The step goes on.
        Allow = "allow",
        /// The step does not happen.
        Deny = "deny",
        /// The step goes on with another payload.
        Modify = "modify",
    }
}

/// A guardian's decision about a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AosResponse {
    /// What is decided.
    decision: AosDecision,
    /// The decision in words.
    pub message: String,
    /// Why it was decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Why it was decided, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_code: Option<Vec<String>>,
    /// Further facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// The whole request with its new payload: there is one if and only if the decision is to modify.
    #[serde(skip_serializing_if = "Option::is_none")]
    modified_request: Option<Box<AosRequest>>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AosResponse {
    /// Lets the step go on.
    pub fn allow(message: impl Into<String>) -> AosResponse {
        AosResponse::of(AosDecision::Allow, message.into(), None)
    }

    /// Denies the step.
    pub fn deny(message: impl Into<String>) -> AosResponse {
        AosResponse::of(AosDecision::Deny, message.into(), None)
    }

    /// Lets the step go on with the payload of this request.
    pub fn modify(message: impl Into<String>, request: AosRequest) -> AosResponse {
        AosResponse::of(AosDecision::Modify, message.into(), Some(Box::new(request)))
    }

    fn of(
        decision: AosDecision,
        message: String,
        modified_request: Option<Box<AosRequest>>,
    ) -> AosResponse {
        AosResponse {
            decision,
            message,
            reasoning: None,
            reason_code: None,
            data: None,
            modified_request,
            other: Map::new(),
        }
    }

    /// Returns what is decided.
    pub fn decision(&self) -> AosDecision {
        self.decision
    }

    /// Returns the request with its new payload, if the decision is to modify.
    pub fn modified_request(&self) -> Option<&AosRequest> {
        self.modified_request.as_deref()
    }

    /// Returns the request with its new payload, if the decision is to modify.
    pub fn into_modified_request(self) -> Option<AosRequest> {
        self.modified_request.map(|request| *request)
    }
}

/// The answer to a request, as JSON-RPC sends it.
#[derive(Serialize)]
pub(crate) struct Envelope<'a, T> {
    jsonrpc: &'static str,
    id: Option<&'a RequestId>,
    #[serde(flatten)]
    outcome: Outcome<'a, T>,
}

/// A result, or an error.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Outcome<'a, T> {
    Result(&'a T),
    Error(&'a AosError),
}

impl<'a, T> Envelope<'a, T> {
    pub(crate) fn new(id: Option<&'a RequestId>, outcome: Outcome<'a, T>) -> Envelope<'a, T> {
        Envelope {
            jsonrpc: "2.0",
            id,
            outcome,
        }
    }
}
