//! The errors of a guardian: JSON-RPC's own.

use std::{error::Error as StdError, fmt};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// An error as a guardian answers it.
///
/// The texts are the document's. What is wrong, and where, is in `data.reason`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AosError {
    /// The code: the kind of error.
    pub code: i64,
    /// The kind of error, for people.
    #[serde(default)]
    pub message: String,
    /// What is wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
    /// Members that the document does not define.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

macro_rules! errors {
    ($($(#[$doc:meta])+ $name:ident = $code:literal, $message:literal;)+) => {
        impl AosError {
            $($(#[$doc])+
            pub fn $name(reason: impl fmt::Display) -> AosError {
                AosError {
                    code: $code,
                    message: $message.to_owned(),
                    data: Some(json!({ "reason": reason.to_string() })),
                    other: Map::new(),
                }
            })+
        }
    };
}

errors! {
    /// The body is not JSON.
    not_json = -32700, "Invalid JSON payload";
    /// The JSON is no request.
    no_request = -32600, "Request payload validation error";
    /// The guardian has no such method.
    no_method = -32601, "Method not found";
    /// The params do not fit the method.
    invalid_params = -32602, "Invalid parameters";
    /// The guardian failed. Put nothing into the reason that the other side must not see.
    internal = -32603, "Internal error";
}

impl AosError {
    /// Returns what is wrong, if the error says so as this SDK does.
    pub fn reason(&self) -> Option<&str> {
        self.data.as_ref()?.get("reason")?.as_str()
    }
}

impl fmt::Display for AosError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)?;
        self.reason()
            .map_or(Ok(()), |reason| write!(f, ": {reason}"))
    }
}

impl StdError for AosError {}

/// What is wrong with the members of an object, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{at}: {why}")]
pub struct Invalid {
    /// The member, from the outside in, such as `params.context.agent`.
    pub at: String,
    /// What is wrong with it.
    pub why: String,
}

impl Invalid {
    fn new(at: impl Into<String>, why: impl fmt::Display) -> Invalid {
        Invalid {
            at: at.into(),
            why: why.to_string().chars().take(SHOWN).collect(),
        }
    }
}

impl AosError {
    /// The member `at` does not fit the method.
    pub(super) fn invalid(at: impl Into<String>, why: impl fmt::Display) -> AosError {
        AosError::invalid_params(Invalid::new(at, why))
    }
}

/// How much is said about a fault, in characters: what a peer sent can be in it.
const SHOWN: usize = 200;
