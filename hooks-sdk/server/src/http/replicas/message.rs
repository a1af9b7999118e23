//! Makes rmcp's message of the JSON in the log, without a loss.

use rmcp::model::{
    CustomNotification, CustomRequest, CustomResult, JsonRpcMessage, JsonRpcNotification,
    JsonRpcResponse, JsonRpcVersion2_0, ServerJsonRpcMessage, ServerNotification, ServerRequest,
    ServerResult,
};
use serde_json::Value;

/// Reads a message of a server. rmcp's own parser guesses the type of a result, and drops what this type lacks: here,
/// every message keeps all its members.
pub(super) fn message(json: &[u8]) -> Option<ServerJsonRpcMessage> {
    let mut value: Value = serde_json::from_slice(json).ok()?;
    let id = value.get("id").cloned();
    if let Some(method) = value.get("method").cloned() {
        let method = method.as_str()?;
        // rmcp's types lose nothing of it, and write no `null` for it.
        let Some(params) = value.get_mut("params").map(Value::take) else {
            return serde_json::from_value(value).ok();
        };
        let params = Some(params);
        return Some(match id {
            Some(id) => {
                let request = ServerRequest::CustomRequest(CustomRequest::new(method, params));
                JsonRpcMessage::request(request, serde_json::from_value(id).ok()?)
            }
            None => JsonRpcMessage::Notification(JsonRpcNotification {
                jsonrpc: JsonRpcVersion2_0,
                notification: ServerNotification::CustomNotification(CustomNotification::new(
                    method, params,
                )),
            }),
        });
    }
    match value.get_mut("result").map(Value::take) {
        Some(result) => Some(JsonRpcMessage::Response(JsonRpcResponse {
            jsonrpc: JsonRpcVersion2_0,
            id: serde_json::from_value(id?).ok()?,
            result: ServerResult::CustomResult(CustomResult(result)),
        })),
        None => serde_json::from_value(value)
            .ok()
            .map(JsonRpcMessage::Error),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_message_keeps_its_members() {
        for value in [
            json!({"jsonrpc": "2.0", "id": "a.b", "method": "elicitation/create", "params": {"x": 1, "_meta": {"y": 2}}}),
            json!({"jsonrpc": "2.0", "id": 4, "method": "ping"}),
            json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": 1, "more": 2}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"isError": false, "content": [], "decision": {"z": 1}}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
            json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "m", "data": {"d": 1}}}),
            json!({"jsonrpc": "2.0", "error": {"code": -1, "message": "m"}}),
        ] {
            let read = message(value.to_string().as_bytes()).expect("a message");
            assert_eq!(serde_json::to_value(&read).expect("JSON"), value);
        }
        assert!(message(b"[]").is_none());
        assert!(message(b"{").is_none());
    }
}
