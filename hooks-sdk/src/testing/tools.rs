//! Tools, as every host calls them.

use serde_json::{Value, json};

use super::RequestError;

/// The result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolAnswer(Value);

impl ToolAnswer {
    pub(super) fn new(result: Value) -> ToolAnswer {
        ToolAnswer(result)
    }

    /// Whether the tool says that it failed.
    pub fn is_error(&self) -> bool {
        self.0["isError"] == true
    }

    /// The text blocks, one after the other, with a line break between two.
    pub fn text(&self) -> String {
        let blocks = self.0["content"].as_array().into_iter().flatten();
        blocks
            .filter_map(|block| block["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The whole result, as it stood on the wire.
    pub fn as_value(&self) -> &Value {
        &self.0
    }
}

/// The tools of all pages that `ask` gives.
pub(super) async fn all_tools<F>(ask: impl Fn(Value) -> F) -> Result<Vec<Value>, RequestError>
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
