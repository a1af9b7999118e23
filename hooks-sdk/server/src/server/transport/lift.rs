//! Writes a message as text, with the members that rmcp's types lack.

use std::sync::LazyLock;

use rmcp::{
    RoleServer,
    model::{
        CallToolResult, CustomResult, JsonObject, JsonRpcMessage, JsonRpcResponse,
        ServerCapabilities, ServerResult,
    },
    service::TxJsonRpcMessage,
};
use serde::Serialize;
use serde_json::Value;

/// The entry that holds members that rmcp's types lack, until the message is sent. Members for the top level of a
/// server's `capabilities` are in `experimental`, members for the top level of a tool's result in `_meta`.
///
/// [`marked`] makes its value, and [`unmarked`] reads it. A value that this process did not make is dropped.
pub(crate) const LIFT: &str = "hooks-sdk/lift";

/// The name under which the value of [`LIFT`] holds its members: 128 random bits, so that no author, no upstream and no
/// other process can write it.
static KEY: LazyLock<String> = LazyLock::new(|| {
    let mut key = [0; 16];
    // If the operating system has no random bytes, the standard library's hash maps panic, too.
    getrandom::fill(&mut key).expect("random bytes from the operating system");
    format!("{:032x}", u128::from_be_bytes(key))
});

/// Returns the value of [`LIFT`] for these members.
pub(crate) fn marked(members: JsonObject) -> JsonObject {
    JsonObject::from_iter([(KEY.clone(), Value::Object(members))])
}

/// Returns the members in a value of [`LIFT`], or `None` if another process or an author wrote the value.
pub(crate) fn unmarked(held: Value) -> Option<JsonObject> {
    let Value::Object(mut held) = held else {
        return None;
    };
    match held.remove(&*KEY) {
        Some(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// Returns the text of a message as it is sent.
pub(in crate::server) fn text(
    message: &mut TxJsonRpcMessage<RoleServer>,
) -> serde_json::Result<Vec<u8>> {
    if let JsonRpcMessage::Response(response) = message {
        lift_capabilities(&mut response.result);
        if let ServerResult::CallToolResult(result) = &mut response.result
            && let Some(members) = take_members(result)
        {
            let result = WithMembers { result, members };
            let id = response.id.clone();
            return serde_json::to_vec(&JsonRpcResponse {
                jsonrpc: response.jsonrpc,
                id,
                result,
            });
        }
    }
    serde_json::to_vec(message)
}

/// Moves the members under [`LIFT`] to the top level of `capabilities`. This happens once in a handshake.
fn lift_capabilities(result: &mut ServerResult) {
    let lift = match result {
        ServerResult::InitializeResult(result) => take_lift(&mut result.capabilities),
        ServerResult::DiscoverResult(result) => take_lift(&mut result.capabilities),
        _ => None,
    };
    if let Some(lift) = lift
        && let Ok(mut whole) = serde_json::to_value(&*result)
        && let Some(Value::Object(capabilities)) = whole.get_mut("capabilities")
    {
        capabilities.extend(lift);
        *result = ServerResult::CustomResult(CustomResult::new(whole));
    }
}

fn take_lift(capabilities: &mut ServerCapabilities) -> Option<JsonObject> {
    let experimental = capabilities.experimental.as_mut()?;
    let lift = experimental.remove(LIFT);
    if experimental.is_empty() {
        capabilities.experimental = None;
    }
    lift.and_then(|held| unmarked(held.into()))
}

/// Takes the members under [`LIFT`] for the top level of a tool's result.
fn take_members(result: &mut CallToolResult) -> Option<JsonObject> {
    let meta = result.meta.as_mut()?;
    let members = meta.remove(LIFT)?;
    if meta.is_empty() {
        result.meta = None;
    }
    unmarked(members)
}

/// A tool's result with members that rmcp's type lacks.
#[derive(Serialize)]
struct WithMembers<'m> {
    #[serde(flatten)]
    result: &'m CallToolResult,
    #[serde(flatten)]
    members: JsonObject,
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ContentBlock, MetaObject, NumberOrString};
    use serde_json::json;

    use super::*;

    fn sent(meta: Value) -> Value {
        let mut result = CallToolResult::success(vec![ContentBlock::text("done")]);
        result.meta = meta.as_object().cloned().map(MetaObject);
        let result = ServerResult::CallToolResult(result);
        let mut message = JsonRpcMessage::response(result, NumberOrString::Number(1));
        let mut sent: Value = serde_json::from_slice(&text(&mut message).unwrap()).unwrap();
        assert_eq!((&sent["jsonrpc"], &sent["id"]), (&json!("2.0"), &json!(1)));
        sent["result"].take()
    }

    #[test]
    fn members_of_a_tools_result_stand_at_its_top_level() {
        let plain = sent(Value::Null);
        for (meta, kept) in [(json!({}), None), (json!({"a": 1}), Some(json!({"a": 1})))] {
            let mut expected = plain.clone();
            expected["state"] = json!({"n": 1});
            if let Some(kept) = kept {
                expected["_meta"] = kept;
            }
            let mut meta = meta;
            let state = json!({"state": {"n": 1}}).as_object().cloned().unwrap();
            meta[LIFT] = marked(state).into();
            assert_eq!(sent(meta), expected);
        }
    }

    #[test]
    fn members_that_another_process_marked_are_dropped() {
        let foreign = json!({"0123456789abcdef0123456789abcdef": {"content": []}});
        for held in [json!({"content": []}), foreign, json!(1)] {
            assert_eq!(sent(json!({ LIFT: held })), sent(Value::Null));
        }
    }
}
