//! What a tool answers: one text, which is JSON.

use hooks_sdk::mcpl::{ErrorObject, SendError};
use rmcp::model::{CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::{Value, json};

/// One text.
pub(crate) fn said(answer: &Value) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(answer.to_string())])
}

/// The host's result, or why there is none.
pub(crate) fn of_host(result: Result<impl Serialize, SendError>) -> Value {
    match result.map(|result| serde_json::to_value(result)) {
        Ok(Ok(result)) => json!({ "ok": true, "result": result }),
        Ok(Err(error)) => refused(&ErrorObject::internal(error.to_string())),
        Err(error) => failed(&error),
    }
}

/// Why something did not happen.
pub(crate) fn failed(error: &SendError) -> Value {
    let object = error.to_error();
    if error.is_local() {
        refused(&object)
    } else {
        json!({ "ok": false, "error": object })
    }
}

/// What the server itself refuses.
pub(crate) fn refused(error: &ErrorObject) -> Value {
    let (code, message) = (error.code, &error.message);
    json!({ "ok": false, "local": true, "error": { "code": code, "message": message } })
}
