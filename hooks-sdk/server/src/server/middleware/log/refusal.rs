//! The decision's id in a refusal, and the refusal of a call without its line.

use rmcp::{
    ErrorData,
    model::{CallToolResponse, CallToolResult, ContentBlock, MetaObject},
};
use serde_json::{Map, Value, json};

use crate::server::pipeline::{McpRequest, McpResponse, RefusalRecord};

/// The member of `_meta` with the violation of a refused call.
const VIOLATION: &str = "hooks-sdk/violation";
/// The member of a violation with the id of the decision.
const ID: &str = "decision_id";
/// The word for programs of a call whose line cannot be written.
const UNAVAILABLE: &str = "log_unavailable";

/// Returns the word for programs in a refusal.
pub(super) fn code_in(answer: &Result<McpResponse, ErrorData>) -> Option<&str> {
    let violation = match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            result.meta.as_ref()?.get(VIOLATION)?
        }
        Err(error) => error.data.as_ref()?,
        Ok(_) => return None,
    };
    violation.get("code")?.as_str()
}

/// Writes the id of the decision into a refusal.
pub(super) fn with_id(answer: &mut Result<McpResponse, ErrorData>, id: &str, code: &str) {
    let empty = || {
        let mut members = Map::new();
        members.insert("code".to_owned(), json!(code));
        Value::Object(members)
    };
    let violation = match answer {
        Ok(McpResponse::CallTool(CallToolResponse::Complete(result))) => {
            let meta = result.meta.get_or_insert_with(MetaObject::default);
            meta.0.entry(VIOLATION).or_insert_with(empty)
        }
        Err(error) => error.data.get_or_insert_with(empty),
        Ok(_) => return,
    };
    if let Value::Object(members) = violation {
        members.insert(ID.to_owned(), json!(id));
    }
}

/// Returns the refusal of a call whose line is not in the log.
pub(super) fn unavailable(
    asked: &McpRequest,
    id: &str,
) -> (RefusalRecord, Result<McpResponse, ErrorData>) {
    let reason = "the decision log of this server cannot be written, so the request was refused";
    let mut record = RefusalRecord::new("log", "", UNAVAILABLE);
    record.failed = true;
    let violation = json!({"code": UNAVAILABLE, "reason": reason});
    let mut answer = match asked {
        McpRequest::CallTool(_) => {
            let text = format!("{reason} [{UNAVAILABLE}]");
            let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
            let mut meta = MetaObject::default();
            meta.insert(VIOLATION.to_owned(), violation);
            result.meta = Some(meta);
            Ok(McpResponse::CallTool(result.into()))
        }
        _ => Err(ErrorData::internal_error(reason, Some(violation))),
    };
    with_id(&mut answer, id, UNAVAILABLE);
    (record, answer)
}
