//! How a violation looks on the wire.

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, ErrorCode, MetaObject},
};
use serde_json::{Map, Value, json};

use hooks_plugin::Denial;

/// The member of `_meta` with the violation of a refused call.
pub(super) const VIOLATION: &str = "hooks-sdk/violation";

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
    let mut text = violation.reason.clone();
    if !violation.description.is_empty() {
        text.push_str(": ");
        text.push_str(&violation.description);
    }
    text.push_str(" [");
    text.push_str(&violation.code);
    text.push(']');
    let mut result = CallToolResult::error(vec![ContentBlock::text(text)]);
    let mut meta = MetaObject::default();
    meta.insert(
        VIOLATION.to_owned(),
        Value::Object(members(blocked, exposes_names)),
    );
    result.meta = Some(meta);
    result
}

/// Returns the error of a refused prompt or resource.
pub(super) fn error(blocked: &Denial, exposes_names: bool) -> ErrorData {
    let code = if blocked.failed {
        ErrorCode::INTERNAL_ERROR
    } else {
        ErrorCode::INVALID_PARAMS
    };
    let data = Value::Object(members(blocked, exposes_names));
    ErrorData::new(code, blocked.violation.reason.clone(), Some(data))
}
