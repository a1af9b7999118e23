//! What a hook that may stop or change something answers.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A hook's answer about a payload `T`, with `Q` for a question to the user.
///
/// A point at which nothing can be changed has `T = Infallible`, and one at which nobody can be asked
/// has `Q = Infallible`, so that those answers cannot be made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the four answers are the whole algebra; a room adds its own around them"
)]
pub enum Verdict<T, Q = Infallible> {
    /// Go on with the payload as it is.
    Allow,
    /// Go on with this payload instead.
    Modify(T),
    /// Stop, for this reason.
    Deny(Violation),
    /// Ask the user first.
    Ask(Q),
}

/// Why a hook stopped something, in words for the agent and a code for programs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violation {
    /// What was violated, in one sentence.
    pub reason: String,
    /// What the agent or the user should know to mend it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// A word for programs, such as `PROHIBITED_CONTENT`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Anything else.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub details: Map<String, Value>,
}

impl Eq for Violation {}

impl Violation {
    /// A violation with a reason and nothing else.
    pub fn new(reason: impl Into<String>) -> Violation {
        Violation {
            reason: reason.into(),
            ..Violation::default()
        }
    }
}
