//! Reads a message with rmcp's own reading.

use rmcp::{
    ErrorData,
    model::{
        ClientJsonRpcMessage, ClientRequest, ClientResult, CustomResult, JsonObject, JsonRpcMessage,
    },
};
use serde_json::{Value, value::RawValue};

use super::{CLIENT_CAPABILITIES, HOOKS, Read, WantedMembers, drop_wrong_shapes};
use crate::server::{
    methods,
    transport::message::{Id, Malformed, members},
};

/// Reads the message on a line. Returns `None` for a notification that MCP does not define: no side answers it.
pub(super) fn read(line: &[u8], wanted: &WantedMembers<'_>) -> Result<Option<Read>, Malformed> {
    let mut read = serde_json::from_slice::<ClientJsonRpcMessage>(line);
    if read
        .as_ref()
        .map_or(true, |message| needs_second_reading(message, line))
    {
        let mut value: Value = serde_json::from_slice(line).map_err(|error| Malformed {
            error: ErrorData::parse_error(format!("the message is not JSON: {error}"), None),
            id: None,
        })?;
        if read.is_err() && value.get("id").is_none() && value["method"].is_string() {
            trace!(method = %value["method"], "ignoring a notification that is not MCP's");
            return Ok(None);
        }
        if let (Err(_), Some(error)) = (&read, unnamed_params(&value)) {
            let id = Id::on(line);
            return Err(Malformed { error, id });
        }
        if capabilities_of(&mut value) {
            read = serde_json::from_value(value);
        }
        if read.is_err()
            && let Some(id) = Id::on(line)
            && id.as_rmcp().is_none()
        {
            let message = format!(
                "the `id` is no integer from {} to {}: write it as a string, or as such an integer",
                i64::MIN,
                i64::MAX
            );
            let error = ErrorData::invalid_request(message, None);
            return Err(Malformed {
                error,
                id: Some(id),
            });
        }
        if let Some(error) = refusal(&read) {
            let id = Id::on(line);
            return Err(Malformed { error, id });
        }
    }
    Ok(read.ok().map(|message| with_wanted(message, line, wanted)))
}

/// Adds the wanted members that rmcp dropped.
fn with_wanted(mut message: ClientJsonRpcMessage, line: &[u8], wanted: &WantedMembers<'_>) -> Read {
    let mut beside = JsonObject::new();
    match &mut message {
        JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::CallToolRequest(_))
                && !wanted.of_a_call.is_empty() =>
        {
            let all = members(line);
            let params = all.get("params").map(|params| params.get().as_bytes());
            let params = params.map(members).unwrap_or_default();
            for name in wanted.of_a_call {
                if let Some(value) = params.get(*name).and_then(|raw| read_value(raw)) {
                    beside.insert((*name).to_owned(), value);
                }
            }
        }
        JsonRpcMessage::Response(response) if (wanted.whole_result)(&response.id) => {
            if let Some(result) = members(line).get("result").and_then(|raw| read_value(raw)) {
                response.result = ClientResult::CustomResult(CustomResult::new(result));
            }
        }
        _ => {}
    }
    Read {
        message,
        members: beside,
    }
}

fn read_value(raw: &RawValue) -> Option<Value> {
    serde_json::from_str(raw.get()).ok()
}

/// Returns the error for a request whose params are not an object. rmcp does not read it as a request.
fn unnamed_params(message: &Value) -> Option<ErrorData> {
    let method = message.get("method")?.as_str()?;
    let params = message.get("params")?;
    let is_request = message.get("jsonrpc")? == "2.0" && message.get("id").is_some();
    let message = format!("the params of `{method}` are no object; MCP names its params");
    (is_request && !params.is_object()).then(|| ErrorData::invalid_params(message, None))
}

/// Returns the error for a message that rmcp must not get.
fn refusal(read: &serde_json::Result<ClientJsonRpcMessage>) -> Option<ErrorData> {
    match read {
        // rmcp answers a malformed `initialize` with an error about another protocol generation.
        Ok(JsonRpcMessage::Request(request)) => match &request.request {
            ClientRequest::CustomRequest(custom) => methods::wrong_shape(custom, false),
            _ => None,
        },
        Ok(_) => None,
        Err(_) => Some(ErrorData::invalid_request(
            "the message is not a JSON-RPC 2.0 request, notification or response with named params",
            None,
        )),
    }
}

/// Returns whether rmcp's types may have dropped or refused a member of this handshake that the SDK needs.
fn needs_second_reading(message: &ClientJsonRpcMessage, line: &[u8]) -> bool {
    let JsonRpcMessage::Request(request) = message else {
        return false;
    };
    match &request.request {
        ClientRequest::InitializeRequest(_) => memchr::memmem::find(line, b"\"hooks\"").is_some(),
        ClientRequest::CustomRequest(custom) => custom.method == "initialize",
        _ => false,
    }
}

/// Changes a request's client capabilities so that rmcp's types keep them. Returns whether anything changed.
///
/// Moves a top-level `hooks` object into `experimental`. Removes entries of `experimental` and `extensions` that are
/// not objects: they count as not declared, and must not fail the handshake.
fn capabilities_of(message: &mut Value) -> bool {
    let Some(Value::Object(params)) = message.get_mut("params") else {
        return false;
    };
    let mut changed = false;
    if let Some(Value::Object(capabilities)) = params.get_mut("capabilities") {
        changed |= drop_wrong_shapes(capabilities);
        if let Some(hooks) = capabilities.remove("hooks") {
            changed = true;
            let experimental = capabilities
                .entry("experimental")
                .or_insert_with(|| JsonObject::new().into());
            if let (Value::Object(experimental), Value::Object(_)) = (experimental, &hooks) {
                experimental.insert(HOOKS.to_owned(), hooks);
            }
        }
    }
    if let Some(Value::Object(capabilities)) = params
        .get_mut("_meta")
        .and_then(|meta| meta.get_mut(CLIENT_CAPABILITIES))
    {
        changed |= drop_wrong_shapes(capabilities);
    }
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn top_level_hooks_move_into_experimental() {
        let mut message = json!({"params": {"capabilities": {"hooks": {"supported_events": []}}}});
        assert!(capabilities_of(&mut message));
        assert_eq!(
            message,
            json!({"params": {"capabilities": {"experimental": {HOOKS: {"supported_events": []}}}}})
        );
    }

    #[test]
    fn wrong_shapes_are_dropped_and_the_rest_stays() {
        let mut message = json!({"params": {
            "capabilities": {"hooks": true, "experimental": {"hooks": [], "a": {}}, "extensions": 1, "roots": {}},
            "_meta": {CLIENT_CAPABILITIES: {"extensions": {"x/y": null, "x/z": {}}}},
        }});
        assert!(capabilities_of(&mut message));
        assert_eq!(
            message,
            json!({"params": {
                "capabilities": {"experimental": {"a": {}}, "roots": {}},
                "_meta": {CLIENT_CAPABILITIES: {"extensions": {"x/z": {}}}},
            }})
        );
        assert!(!capabilities_of(&mut message));
    }
}
