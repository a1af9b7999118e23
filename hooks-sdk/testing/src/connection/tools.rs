//! Calls of tools by a host.

use serde_json::{Value, json};

use super::RequestError;

/// The `_meta` key of a request's session, and of the session that a result opened.
pub(crate) const SESSION: &str = "hooks-sdk/session";

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer(Value);

impl ToolAnswer {
    pub(crate) fn new(result: Value) -> ToolAnswer {
        ToolAnswer(result)
    }

    /// Returns whether the tool reported a failure.
    pub fn is_error(&self) -> bool {
        self.0["isError"] == true
    }

    /// Returns the text blocks, separated by line breaks.
    pub fn text(&self) -> String {
        let blocks = self.0["content"].as_array().into_iter().flatten();
        blocks
            .filter_map(|block| block["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the handle of the session that the call opened, where the protocol has no session of its own.
    pub fn session(&self) -> Option<&str> {
        session_of(&self.0)
    }

    /// Returns the whole result, as on the wire.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

/// Returns the handle of the session that a result opened.
pub(crate) fn session_of(result: &Value) -> Option<&str> {
    result["_meta"][SESSION].as_str()
}

/// Returns the tools of all pages that `ask` returns.
pub(crate) async fn all_tools<F>(ask: impl Fn(Value) -> F) -> Result<Vec<Value>, RequestError>
where
    F: Future<Output = Result<Value, RequestError>>,
{
    let mut tools = Vec::new();
    let mut params = json!({});
    loop {
        let mut page = ask(params).await?;
        if let Value::Array(listed) = page["tools"].take() {
            tools.extend(listed);
        }
        match page["nextCursor"].take() {
            Value::String(cursor) => params = json!({"cursor": cursor}),
            _ => return Ok(tools),
        }
    }
}
