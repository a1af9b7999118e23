//! How a violation looks on the wire.

use rmcp::{
    ErrorData,
    model::{CallToolResult, ErrorCode},
};
use serde_json::{Map, Value, json};

use crate::server::violation::refused_call;
use hooks_plugin::Denial;

/// Returns the members of a violation. The name of the hook is there only if the author exposes it.
pub(super) fn members(blocked: &Denial, exposes_names: bool) -> Map<String, Value> {
    let violation = &blocked.violation;
    let mut members = Map::new();
    members.insert("code".into(), json!(violation.code));
    members.insert("reason".into(), json!(violation.reason));
    members.insert("description".into(), json!(violation.description));
    members.insert("details".into(), Value::Object(violation.details.clone()));
    if exposes_names && !blocked.hook.is_empty() {
        members.insert("plugin_name".into(), json!(&*blocked.hook));
    }
    members
}

/// Returns the result of a refused tool call.
pub(super) fn tool(blocked: &Denial, exposes_names: bool) -> CallToolResult {
    let violation = &blocked.violation;
    let description = match &*violation.description {
        "" => String::new(),
        description => format!(": {description}"),
    };
    let text = format!("{}{description} [{}]", violation.reason, violation.code);
    refused_call(text, Value::Object(members(blocked, exposes_names)))
}

/// Returns the error of a refused prompt or resource.
pub(super) fn error(blocked: &Denial, exposes_names: bool) -> ErrorData {
    let code = match blocked.failed {
        true => ErrorCode::INTERNAL_ERROR,
        false => ErrorCode::INVALID_PARAMS,
    };
    let data = Value::Object(members(blocked, exposes_names));
    ErrorData::new(code, blocked.violation.reason.clone(), Some(data))
}
