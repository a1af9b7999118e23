//! What the headers of a request say: the revision of MCP, and what the body says again (SEP-2243).

use std::borrow::Cow;

use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header::AsHeaderName};
use rmcp::{
    ErrorData,
    model::{
        ClientJsonRpcMessage, ClientRequest, GetMeta, JsonObject, JsonRpcMessage, ProtocolVersion,
        RequestId,
    },
};
use serde_json::Value;

use super::{
    VERSION,
    response::{Refused, bad_request, json_error},
};
use crate::server::{HookedService, carried::PROTOCOL_VERSION, method_of};

const METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// The header that repeats the name of what a request asks for.
pub(super) const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The prefix of headers that repeat arguments of a call.
const PARAM: &str = "Mcp-Param-";

/// The member of a property of an input schema that names its header.
const ANNOTATION: &str = "x-mcp-header";

/// Which generation of MCP a message belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lifecycle {
    /// It belongs to a session, or opens one.
    Session,
    /// It says all that is needed about its client.
    Alone,
}

/// Returns the revision of MCP that the headers name.
pub(in crate::http) fn version(headers: &HeaderMap) -> Option<&str> {
    headers.get(VERSION)?.to_str().ok()
}

/// Returns which generation a message belongs to, or a request without a message. Also returns whether the `_meta` of a request
/// lacks what 2026-07-28 asks for.
///
/// # Errors
///
/// Returns the response if the revision is unknown, or if headers and message name different ones.
pub(super) fn lifecycle(
    message: Option<&ClientJsonRpcMessage>,
    headers: &HeaderMap,
) -> Result<(Lifecycle, bool), Refused> {
    let request = match message {
        Some(JsonRpcMessage::Request(request)) => Some(request),
        _ => None,
    };
    let meta = request.map(|request| request.request.get_meta());
    let named = meta.and_then(|meta| meta.get(PROTOCOL_VERSION)?.as_str());
    if let Some(value) = headers.get(VERSION) {
        let Ok(version) = value.to_str() else {
            let sentence = "Bad Request: Invalid MCP-Protocol-Version header encoding";
            return Err(bad_request(sentence));
        };
        let mut known = ProtocolVersion::KNOWN_VERSIONS.iter();
        // A request that names its revision itself is refused with the list of those that the server has.
        if named.is_none() && !known.any(|known| known.as_str() == version) {
            let sentence = format!("Bad Request: Unsupported MCP-Protocol-Version: {version}");
            return Err(bad_request(sentence));
        }
    }
    let version = version(headers);
    let Some((request, meta)) = request.zip(meta) else {
        return Ok((generation(version), false));
    };
    let id = || Some(request.id.clone());
    if let ClientRequest::InitializeRequest(asked) = &request.request {
        let asked = asked.params.protocol_version.as_str();
        if let Some(version) = version
            && version != asked
        {
            let message = format!(
                "Invalid Request: MCP-Protocol-Version header ({version}) does not match initialize params.protocolVersion ({asked})"
            );
            let error = ErrorData::invalid_request(message, None);
            return Err(json_error(StatusCode::BAD_REQUEST, id(), error));
        }
        // The handshake exists only in revisions with sessions, whatever revision it names.
        return Ok((Lifecycle::Session, false));
    }
    match (named, version) {
        (None, version) => {
            let newest = ProtocolVersion::V_2026_07_28;
            let is_discovery = matches!(request.request, ClientRequest::DiscoverRequest(_));
            if is_discovery || version.is_some_and(|version| version >= newest.as_str()) {
                let message = format!(
                    "Invalid params: request _meta is missing or has malformed required fields: {}",
                    meta.missing_required_keys(&newest).join(", ")
                );
                let error = ErrorData::invalid_params(message, None);
                return Err(json_error(StatusCode::BAD_REQUEST, id(), error));
            }
        }
        (Some(_), None) => {
            let message = "request _meta protocolVersion requires MCP-Protocol-Version header";
            return Err(mismatch(id(), message.to_owned()));
        }
        (Some(named), Some(version)) if version != named => {
            let message = format!(
                "MCP-Protocol-Version header ({version}) does not match request _meta protocolVersion ({named})"
            );
            return Err(mismatch(id(), message));
        }
        _ => {}
    }
    if named.is_some() && meta.client_capabilities().is_some() {
        return Ok((Lifecycle::Alone, false));
    }
    Ok((generation(named.or(version)), true))
}

fn generation(version: Option<&str>) -> Lifecycle {
    // ISO dates compare as text.
    match version {
        Some(version) if version >= ProtocolVersion::V_2026_07_28.as_str() => Lifecycle::Alone,
        _ => Lifecycle::Session,
    }
}

fn mismatch(id: Option<RequestId>, message: String) -> Refused {
    let error = ErrorData::header_mismatch(message, None);
    json_error(StatusCode::BAD_REQUEST, id, error)
}

/// Compares the headers that repeat a message with the message in `body`, from 2026-07-28 on: what is in between may have read
/// them alone.
///
/// # Errors
///
/// Returns the response if one is missing or different.
pub(super) fn check_standard(
    headers: &HeaderMap,
    message: &ClientJsonRpcMessage,
    body: &[u8],
    hooked: &HookedService,
) -> Result<(), Refused> {
    let first = ProtocolVersion::STANDARD_HEADERS;
    if version(headers).is_none_or(|version| version < first.as_str()) {
        return Ok(());
    }
    let (id, compared) = match message {
        JsonRpcMessage::Request(request) => {
            let compared = compare(headers, &request.request, hooked);
            (Some(request.id.clone()), compared)
        }
        JsonRpcMessage::Notification(_) => {
            let method = method_of(body).unwrap_or_default();
            (None, compare_method(headers, &method))
        }
        _ => return Ok(()),
    };
    compared.map_err(|reason| mismatch(id, reason))
}

fn compare(
    headers: &HeaderMap,
    request: &ClientRequest,
    hooked: &HookedService,
) -> Result<(), String> {
    let method = request.method();
    if matches!(request, ClientRequest::InitializeRequest(_)) && !headers.contains_key(METHOD) {
        // A client sends these headers only when it knows the revision of the server.
        return Ok(());
    }
    compare_method(headers, method)?;
    if let Some(expected) = named_item(request) {
        match one(headers, NAME, "Mcp-Name")? {
            None => return Err(format!("missing required Mcp-Name header for `{method}`")),
            Some(value) => compare_value("Mcp-Name", value, expected)?,
        }
    }
    let ClientRequest::CallToolRequest(call) = request else {
        return Ok(());
    };
    // Few tools have such arguments, and a tool is copied to be shown.
    match hooked.shown_tool(&call.params.name, |tool| has_headers(&tool.input_schema)) {
        Some(tool) => {
            let arguments = call.params.arguments.as_ref();
            compare_arguments(headers, "", &tool.input_schema, arguments)
        }
        None => Ok(()),
    }
}

/// Returns whether a header repeats a property of this schema.
fn has_headers(schema: &JsonObject) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| {
        let mut schemas = properties.values().filter_map(Value::as_object);
        schemas.any(|schema| schema.contains_key(ANNOTATION) || has_headers(schema))
    })
}

fn compare_method(headers: &HeaderMap, method: &str) -> Result<(), String> {
    match one(headers, METHOD, "Mcp-Method")? {
        None => Err("missing required Mcp-Method header".to_owned()),
        Some(value) if value != method => Err(format!(
            "Mcp-Method header `{value}` does not match body method `{method}`"
        )),
        Some(_) => Ok(()),
    }
}

/// Returns what `Mcp-Name` repeats.
fn named_item(request: &ClientRequest) -> Option<&str> {
    Some(match request {
        ClientRequest::CallToolRequest(request) => &request.params.name,
        ClientRequest::GetPromptRequest(request) => &request.params.name,
        ClientRequest::ReadResourceRequest(request) => &request.params.uri,
        ClientRequest::SubscribeRequest(request) => &request.params.uri,
        ClientRequest::UnsubscribeRequest(request) => &request.params.uri,
        ClientRequest::GetTaskRequest(request) => &request.params.task_id,
        ClientRequest::UpdateTaskRequest(request) => &request.params.task_id,
        ClientRequest::CancelTaskRequest(request) => &request.params.task_id,
        _ => return None,
    })
}

/// Compares the headers that repeat arguments, as the schema of the tool asks for them. `within` begins the paths of arguments.
fn compare_arguments(
    headers: &HeaderMap,
    within: &str,
    schema: &JsonObject,
    arguments: Option<&JsonObject>,
) -> Result<(), String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        let Some(schema) = schema.as_object() else {
            continue;
        };
        let path = format!("{within}{name}");
        let value = arguments.and_then(|arguments| arguments.get(name));
        if let Some(Value::String(header)) = schema.get(ANNOTATION)
            && !header.is_empty()
        {
            compare_argument(headers, &format!("{PARAM}{header}"), &path, value)?;
        }
        let inner = value.and_then(Value::as_object);
        compare_arguments(headers, &format!("{path}."), schema, inner)?;
    }
    Ok(())
}

fn compare_argument(
    headers: &HeaderMap,
    header: &str,
    path: &str,
    value: Option<&Value>,
) -> Result<(), String> {
    let expected = match value {
        Some(Value::String(text)) => Some(text.clone()),
        Some(value @ (Value::Bool(_) | Value::Number(_))) => Some(value.to_string()),
        _ => None,
    };
    match (one(headers, header, header)?, expected) {
        (None, None) => Ok(()),
        (Some(_), None) => Err(format!(
            "unexpected {header} header for absent or null `{path}`"
        )),
        (None, Some(_)) => Err(format!("missing {header} header for `{path}`")),
        (Some(value), Some(expected)) => compare_value(header, value, &expected),
    }
}

/// Compares the value of a header with what the body says.
fn compare_value(header: &str, value: &str, expected: &str) -> Result<(), String> {
    let value = decoded(value).ok_or_else(|| format!("{header} header is not valid Base64"))?;
    match value == expected {
        true => Ok(()),
        false => Err(format!(
            "{header} header `{value}` does not match body value `{expected}`"
        )),
    }
}

/// Returns the only value of a header. Of two values, something in between may have read the other one.
fn one<'h>(
    headers: &'h HeaderMap,
    name: impl AsHeaderName,
    shown: &str,
) -> Result<Option<&'h str>, String> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(format!("duplicate {shown} header"));
    }
    let value = value.map(HeaderValue::to_str).transpose();
    value.map_err(|_| format!("{shown} header contains invalid characters"))
}

/// Returns a value that may be written as `=?base64?…?=`.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let inner = value
        .strip_prefix("=?base64?")
        .and_then(|inner| inner.strip_suffix("?="));
    let Some(inner) = inner else {
        return Some(value.into());
    };
    let decoded = BASE64_STANDARD.decode(inner).ok()?;
    String::from_utf8(decoded).ok().map(Cow::Owned)
}
