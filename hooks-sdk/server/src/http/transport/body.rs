//! The body of a request: it is collected, and changed so that rmcp's types keep every member.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    error::Error as StdError,
    io,
    sync::{Arc, LazyLock},
};

use axum::body::Body;
use bytes::Bytes;
use http::{Response, StatusCode};
use http_body::Body as HttpBody;
use http_body_util::{LengthLimitError, Limited};
use memchr::memmem::{self, Finder};
use rmcp::model::{ClientResult, CustomResult, JsonObject};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use super::{
    answer::{BoxError, text},
    routing::Address,
};
use crate::server::carried::{normalised, without_mark};
use hooks_http::body::{is_caused, whole};

/// The member that holds a whole result of the client while rmcp's types carry it. Of the results that rmcp knows,
/// only `CustomResult` has it.
const WHOLE: &str = "hooks-sdk/whole";

/// The names that tell which messages have to be parsed.
struct ParsedNames {
    method: Finder<'static>,
    result: Finder<'static>,
    error: Finder<'static>,
    call: Finder<'static>,
    initialize: Finder<'static>,
    capabilities: Finder<'static>,
    experimental: Finder<'static>,
    extensions: Finder<'static>,
}

/// It takes longer to make a finder than to search a message.
static NAMES: LazyLock<ParsedNames> = LazyLock::new(|| ParsedNames {
    method: Finder::new("\"method\""),
    result: Finder::new("\"result\""),
    error: Finder::new("\"error\""),
    call: Finder::new("\"tools/call\""),
    initialize: Finder::new("\"initialize\""),
    capabilities: Finder::new("clientCapabilities\""),
    experimental: Finder::new("\"experimental\""),
    extensions: Finder::new("\"extensions\""),
});

/// Reads a body of at most `longest` bytes.
///
/// # Errors
///
/// Returns the response to a body that is too long or cannot be read.
pub(super) async fn collect<B>(body: B, longest: usize) -> Result<Bytes, Response<Body>>
where
    B: HttpBody<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let error = match whole(Limited::new(body, longest)).await {
        Ok(body) => {
            return Ok(body.slice_ref(without_mark(&body)));
        }
        Err(error) => error,
    };
    let (status, message) = if is_caused(&*error, |cause| cause.is::<LengthLimitError>()) {
        let message = format!("the body is longer than {longest} bytes; send less in one message");
        (StatusCode::PAYLOAD_TOO_LARGE, message)
    } else if is_caused(&*error, is_timeout) {
        let message = "the body did not come in time; send it at once".to_owned();
        (StatusCode::REQUEST_TIMEOUT, message)
    } else {
        tracing::debug!(
            target: "hooks_sdk::http",
            %error, "the body of a request could not be read"
        );
        let message = "the body could not be read to its end".to_owned();
        (StatusCode::BAD_REQUEST, message)
    };
    Err(text(status, message))
}

fn is_timeout(error: &(dyn StdError + 'static)) -> bool {
    let error = error.downcast_ref::<io::Error>();
    error.is_some_and(|error| error.kind() == io::ErrorKind::TimedOut)
}

/// Returns a message as rmcp must read it, and the members of a call that rmcp drops. Messages that rmcp reads whole are
/// not parsed.
pub(super) fn prepared(
    message: Bytes,
    members_of_a_call: impl FnOnce() -> Arc<[&'static str]>,
) -> (Bytes, Option<Arc<JsonObject>>) {
    let has = |text: &Finder<'_>| text.find(&message).is_some();
    if (!has(&NAMES.method) || has(&NAMES.result) || has(&NAMES.error))
        && let Some(answer) = answer(&message)
    {
        return (answer.into(), None);
    }
    let members = if has(&NAMES.call) {
        members(&message, &members_of_a_call()).map(Arc::new)
    } else {
        None
    };
    let may_be_wrong = has(&NAMES.initialize)
        || has(&NAMES.capabilities)
            && (has(&NAMES.experimental) || has(&NAMES.extensions))
            && has_wrong_capabilities(&message);
    let changed = if may_be_wrong {
        normalised(&message)
    } else {
        None
    };
    (changed.map_or(message, Bytes::from), members)
}

/// Returns the answer to a request of this process's sessions, with its result kept whole.
///
/// An answer that rmcp would refuse becomes an error, so that the request does not wait for another one.
fn answer(message: &[u8]) -> Option<Vec<u8>> {
    let envelope = Address::of(message)?;
    if envelope.method.is_some() || envelope.replica().is_none() {
        return None;
    }
    let id = envelope.id?;
    let is_version_2 = envelope.jsonrpc.as_deref() == Some("2.0");
    let answer = match (envelope.result, envelope.error) {
        (Some(result), _) if is_version_2 => {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"{WHOLE}":{result}}}}}"#)
        }
        (None, Some(error)) if is_version_2 && is_error(error) => return None,
        _ => format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":"the host's answer is no JSON-RPC response"}}}}"#
        ),
    };
    Some(answer.into_bytes())
}

fn is_error(error: &RawValue) -> bool {
    serde_json::from_str::<rmcp::ErrorData>(error.get()).is_ok()
}

/// Returns the result that a client sent, out of its wrapping. `is_whole` is whether the result stays as the client
/// wrote it. Otherwise it becomes the type that rmcp finds for it.
pub(super) fn unwrapped(result: ClientResult, is_whole: bool) -> ClientResult {
    let ClientResult::CustomResult(CustomResult(Value::Object(mut members))) = result else {
        return result;
    };
    match members.remove(WHOLE) {
        Some(whole) if is_whole => ClientResult::CustomResult(CustomResult::new(whole)),
        Some(whole) => ClientResult::deserialize(&whole)
            .unwrap_or_else(|_| ClientResult::CustomResult(CustomResult::new(whole))),
        None => ClientResult::CustomResult(CustomResult::new(Value::Object(members))),
    }
}

/// The parts of a message that hold the capabilities of the client.
#[derive(Deserialize)]
struct WithCapabilities<'a> {
    #[serde(borrow)]
    params: Capable<'a>,
}

#[derive(Deserialize)]
struct Capable<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Capabilities<'a>,
}

#[derive(Deserialize)]
struct Capabilities<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    client: BTreeMap<Cow<'a, str>, &'a RawValue>,
}

/// Returns whether `experimental` or `extensions` of a request's client has an entry that is no object.
fn has_wrong_capabilities(message: &[u8]) -> bool {
    let Ok(message) = serde_json::from_slice::<WithCapabilities<'_>>(message) else {
        return false;
    };
    let client = message.params.meta.client;
    let is_object = |entry: &RawValue| entry.get().starts_with('{');
    let is_wrong = |entries: &&RawValue| {
        let entries = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(entries.get());
        entries.map_or(true, |entries| {
            !entries.values().all(|entry| is_object(entry))
        })
    };
    ["experimental", "extensions"]
        .iter()
        .any(|name| client.get(*name).is_some_and(is_wrong))
}

/// Returns these members of a call of a tool.
fn members(message: &[u8], names: &[&'static str]) -> Option<JsonObject> {
    #[derive(Deserialize)]
    struct ParamsMembers<'a> {
        #[serde(borrow)]
        params: BTreeMap<Cow<'a, str>, &'a RawValue>,
    }

    let is_there = |name: &&str| memmem::find(message, name.as_bytes()).is_some();
    if !names.iter().any(is_there) {
        return None;
    }
    let call: ParamsMembers<'_> = serde_json::from_slice(message).ok()?;
    let read = |name: &&'static str| {
        let raw = call.params.get(*name)?;
        Some(((*name).to_owned(), serde_json::from_str(raw.get()).ok()?))
    };
    let members: JsonObject = names.iter().filter_map(read).collect();
    (!members.is_empty()).then_some(members)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::http::transport::ReplicaId;

    const NAMES: &[&str] = &["state", "scope"];

    fn of(message: &str) -> (Bytes, Option<Arc<JsonObject>>) {
        prepared(Bytes::copy_from_slice(message.as_bytes()), || NAMES.into())
    }

    fn id() -> String {
        format!("{}.{:032x}", ReplicaId([7; 16]), 7)
    }

    #[test]
    fn what_rmcp_reads_whole_passes_as_it_came() {
        let wrong = "io.modelcontextprotocol/clientCapabilities";
        for message in [
            r#"{"jsonrpc":"2.0", "id":1,"method":"tools/list"}"#.to_owned(),
            r#"{"method":"tools/call","params":{"arguments":{"state":1},"result":2}}"#.to_owned(),
            r#"{"method":"x/y","params":{"state":1}}"#.to_owned(),
            format!(
                r#"{{"method":"x/y","params":{{"_meta":{{"{wrong}":{{"experimental":{{"a":{{}}}}}}}}}}}}"#
            ),
            r#"{"jsonrpc":"2.0","id":0,"result":{}}"#.to_owned(),
            format!(
                r#"{{"jsonrpc":"2.0","id":"{0}.{0}","result":{{}}}}"#,
                "A".repeat(32)
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":"{}","error":{{"code":1,"message":""}}}}"#,
                id()
            ),
            "[".to_owned(),
        ] {
            assert_eq!(of(&message), (Bytes::from(message), None));
        }
    }

    #[test]
    fn members_of_a_call_are_read_from_its_params_only() {
        let (message, members) = of(
            r#"{"method":"tools/call","params":{"name":"a","scope":[1],"arguments":{"state":2}}}"#,
        );
        assert!(message.ends_with(b"}}}"));
        assert_eq!(
            *members.expect("members"),
            *json!({"scope": [1]}).as_object().expect("an object")
        );
    }

    #[test]
    fn capabilities_of_every_request_are_put_right() {
        let name = "io.modelcontextprotocol/clientCapabilities";
        let meta = |client: Value| json!({"method": "x/y", "params": {"_meta": {name: client}}});
        let wrong = meta(json!({"experimental": {"a": 1, "b": {}}, "extensions": true}));
        let (right, _) = of(&wrong.to_string());
        let right: Value = serde_json::from_slice(&right).expect("JSON");
        assert_eq!(right, meta(json!({"experimental": {"b": {}}})));
    }

    #[test]
    fn a_call_with_wrong_capabilities_keeps_its_members() {
        let name = "io.modelcontextprotocol/clientCapabilities";
        let (_, members) = of(&json!({"method": "tools/call", "params": {
            "name": "initialize",
            "state": 1,
            "_meta": {name: {"experimental": 1}},
        }})
        .to_string());
        assert_eq!(members.expect("members")["state"], 1);
    }

    #[test]
    fn an_answer_goes_through_rmcps_types_whole() {
        for result in [
            json!({"action": "accept", "more": 1}),
            json!({"model": "m", "role": "user", "content": {"type": "text", "text": ""}, "usage": 3}),
            json!({"roots": [], "method": "x"}),
            json!({}),
            json!("text"),
            Value::Null,
        ] {
            let message = json!({"jsonrpc": "2.0", "id": id(), "result": result});
            let (wrapped, _) = of(&message.to_string());
            let read: rmcp::model::ClientJsonRpcMessage =
                serde_json::from_slice(&wrapped).expect("an answer");
            let rmcp::model::JsonRpcMessage::Response(response) = read else {
                panic!("{read:?}");
            };
            let as_written = unwrapped(response.result.clone(), true);
            assert!(
                matches!(as_written, ClientResult::CustomResult(CustomResult(whole)) if whole == result)
            );
            let guessed = serde_json::to_value(unwrapped(response.result, false)).expect("JSON");
            let by_rmcp = serde_json::from_value::<ClientResult>(result).expect("a result");
            assert_eq!(guessed, serde_json::to_value(by_rmcp).expect("JSON"));
        }
    }

    #[test]
    fn an_answer_that_rmcp_would_refuse_becomes_an_error() {
        for broken in [
            json!({"id": id(), "result": {}}),
            json!({"jsonrpc": "2.0", "id": id()}),
            json!({"jsonrpc": "2.0", "id": id(), "error": {"message": 1}}),
        ] {
            let (message, _) = of(&broken.to_string());
            let message: Value = serde_json::from_slice(&message).expect("JSON");
            assert_eq!(
                (&message["error"]["code"], &message["id"]),
                (&json!(-32603), &json!(id()))
            );
        }
    }
}
