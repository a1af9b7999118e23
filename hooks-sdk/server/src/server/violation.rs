//! The violation in a refusal: why the request was refused, for programs.

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock, MetaObject};
use serde_json::Value;

use super::pipeline::{McpAnswer, McpResponse};

/// The member of `_meta` with the violation of a refused call. Other refusals are errors, and have it as their data.
pub(super) const VIOLATION: &str = "hooks-sdk/violation";

/// Returns the violation in a refusal.
pub(super) fn violation_in(answer: &McpAnswer) -> Option<&Value> {
    match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            result.meta.as_ref()?.get(VIOLATION)
        }
        Err(error) => error.data.as_ref(),
        Ok(_) => None,
    }
}

/// Returns the result of a refused call.
pub(super) fn refused_call(text: String, violation: Value) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    let meta = result.meta.get_or_insert_with(MetaObject::default);
    meta.insert(VIOLATION.to_owned(), violation);
    result
}
