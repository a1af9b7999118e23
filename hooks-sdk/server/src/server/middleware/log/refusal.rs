//! The decision's id in a refusal, and the refusal of a call without its line.

use rmcp::{
    ErrorData,
    model::{CallToolResponse, MetaObject},
};
use serde_json::{Value, json};

use crate::server::{
    pipeline::{McpAnswer, McpRequest, McpResponse, RefusalRecord},
    violation::{VIOLATION, refused_call},
};

/// The member of a violation with the id of the decision.
const ID: &str = "decision_id";
/// The word for programs of a call whose line cannot be written.
const UNAVAILABLE: &str = "log_unavailable";

/// Writes the id of the decision into a refusal.
pub(super) fn with_id(answer: &mut McpAnswer, id: &str, code: &str) {
    let empty = || json!({"code": code});
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
pub(super) fn unavailable(asked: &McpRequest, id: &str) -> (RefusalRecord, McpAnswer) {
    let reason = "the decision log of this server cannot be written, so the request was refused";
    let mut record = RefusalRecord::new("log", "", UNAVAILABLE);
    record.failed = true;
    let violation = json!({"code": UNAVAILABLE, "reason": reason});
    let mut answer = match asked {
        McpRequest::CallTool(_) => {
            let refused = refused_call(format!("{reason} [{UNAVAILABLE}]"), violation);
            Ok(McpResponse::CallTool(refused.into()))
        }
        _ => Err(ErrorData::internal_error(reason, Some(violation))),
    };
    with_id(&mut answer, id, UNAVAILABLE);
    (record, answer)
}
