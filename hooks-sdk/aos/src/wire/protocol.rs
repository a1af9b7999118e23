//! Messages of MCP and of A2A, carried as they are.

use serde_json::{Map, Value};

use super::AosError;

/// One message of MCP: a request, a notification or an answer, as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct McpMessage {
    /// The whole JSON-RPC object.
    pub message: Map<String, Value>,
}

impl McpMessage {
    /// Makes a message of a whole JSON-RPC object.
    pub fn new(message: Map<String, Value>) -> McpMessage {
        McpMessage { message }
    }

    /// Returns the method, if the message is a request or a notification.
    pub fn method(&self) -> Option<&str> {
        self.message.get("method").and_then(Value::as_str)
    }
}

/// One message of A2A: a request or an answer, as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct A2aMessage {
    /// The whole JSON-RPC object.
    pub payload: Map<String, Value>,
}

impl A2aMessage {
    /// Makes a message of a whole JSON-RPC object.
    pub fn new(payload: Map<String, Value>) -> A2aMessage {
        A2aMessage { payload }
    }
}

objects! {
    /// Between which agents a message of A2A travels.
    pub struct A2aContext {
        /// Who sends the message.
        from: A2aPeer,
        /// Who gets the message.
        to: A2aPeer,
    }

    /// One side of A2A.
    pub struct A2aPeer {
        /// The agent: as in a step's context, or with `url`, `name`, `version` and `identity`.
        agent: Map<String, Value>,
        /// What the agent is here: `client` or `server`.
        role: String,
    }
}

/// Returns whether an object is one JSON-RPC message.
pub(crate) fn is_message(message: &Map<String, Value>) -> bool {
    raw(message, "").is_ok()
}

/// Checks that an object is one JSON-RPC message.
pub(super) fn raw(message: &Map<String, Value>, at: &str) -> Result<(), AosError> {
    let wrong = |member: &str, why: &str| Err(AosError::invalid(format!("{at}.{member}"), why));
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return wrong("jsonrpc", "it is not `2.0`");
    }
    let kinds = ["method", "result", "error"];
    if kinds
        .iter()
        .filter(|kind| message.contains_key(**kind))
        .count()
        != 1
    {
        return Err(AosError::invalid(
            at,
            "it has to have exactly one of `method`, `result` and `error`",
        ));
    }
    match (message.get("method"), message.get("id")) {
        (Some(Value::String(_)), _) => {}
        (Some(_), _) => return wrong("method", "it is no string"),
        (None, Some(Value::String(_))) => {}
        (None, Some(Value::Number(id))) if !id.is_f64() => {}
        (None, _) => return wrong("id", "it is neither a string nor an integer"),
    }
    for member in ["params", "result"] {
        if message.get(member).is_some_and(|it| !it.is_object()) {
            return wrong(member, "it is no object");
        }
    }
    Ok(())
}
