//! The answer of a hook that may stop or change something.

use std::convert::Infallible;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A hook's answer about a payload `T`, with `Q` for a question to the user.
///
/// A point that allows no change has `T = Infallible`, and a point that allows no question has `Q = Infallible`, so that
/// these answers cannot be constructed.
///
/// ```
/// use hooks_sdk::core::{Verdict, Violation};
///
/// fn shortened(text: &str) -> Verdict<String> {
///     match text.len() {
///         0 => Verdict::Deny(Violation::new("an empty text is not sent")),
///         1..=80 => Verdict::Allow,
///         _ => Verdict::Modify(text.chars().take(80).collect()),
///     }
/// }
/// assert_eq!(shortened("short"), Verdict::Allow);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the four answers are the whole algebra; a protocol adds its own around them"
)]
pub enum Verdict<T, Q = Infallible> {
    /// Continue with the payload as it is.
    Allow,
    /// Continue with this payload instead.
    Modify(T),
    /// Stop, for this reason.
    Deny(Violation),
    /// Ask the user first.
    Ask(Q),
}

/// The reason why a hook stopped something, in words for the agent and as a code for programs.
///
/// ```
/// use hooks_sdk::core::Violation;
///
/// let violation = Violation::new("notes are exported to /srv/exports only").code("WRONG_FOLDER");
/// assert_eq!(violation.code, "WRONG_FOLDER");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violation {
    /// The violated rule, in one sentence.
    pub reason: String,
    /// What the agent or the user needs to know to fix it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// A word for programs, such as `PROHIBITED_CONTENT`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub code: String,
    /// Further details.
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

    /// Sets the word for programs.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Violation {
        self.code = code.into();
        self
    }
}
