//! Reads a message with rmcp's own reading.

use rmcp::{
    ErrorData, RoleServer,
    model::{ClientRequest, ClientResult, CustomResult, JsonObject, JsonRpcMessage},
    service::RxJsonRpcMessage,
};
use serde_json::{Value, value::RawValue};

use super::{Read, WantedMembers};
use crate::server::{
    methods,
    transport::{
        message::{Id, Malformed, members},
        normalise,
    },
};

/// Reads the message on a line. Returns `None` for a notification that MCP does not define: no side answers it.
pub(super) fn read(line: &[u8], wanted: &WantedMembers<'_>) -> Result<Option<Read>, Malformed> {
    let mut read = serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line);
    if read.as_ref().map_or(true, |message| {
        normalise::needs_second_reading(message, line)
    }) {
        let mut value: Value = serde_json::from_slice(line).map_err(|error| Malformed {
            error: ErrorData::parse_error(format!("the message is not JSON: {error}"), None),
            id: None,
        })?;
        if read.is_err() && value.get("id").is_none() && value["method"].is_string() {
            tracing::trace!(
                target: "hooks_sdk::server",
                method = %value["method"], "ignoring a notification that is not MCP's"
            );
            return Ok(None);
        }
        if let (Err(_), Some(error)) = (&read, unnamed_params(&value)) {
            let id = Id::on(line);
            return Err(Malformed { error, id });
        }
        if normalise::capabilities_of(&mut value) {
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
fn with_wanted(
    mut message: RxJsonRpcMessage<RoleServer>,
    line: &[u8],
    wanted: &WantedMembers<'_>,
) -> Read {
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
fn refusal(read: &serde_json::Result<RxJsonRpcMessage<RoleServer>>) -> Option<ErrorData> {
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
