//! Whole messages about which a middleware decides, before the server handles them and before they are sent.

use std::fmt;

use rmcp::{
    model::{JsonObject, ProtocolVersion},
    object,
};
use serde_json::{Value, json};

use crate::server::{methods::exempt, transport::read::PROTOCOL_VERSION, violation::VIOLATION};

/// How many bytes a text may have that is the id of a request or a token. A longer one may tell something.
const ID_BYTES: usize = 256;

/// The side that a message goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageDirection {
    Server,
    Client,
}

/// What becomes of a message.
#[derive(Debug, PartialEq)]
pub(crate) enum MessageAction {
    /// It goes on as it is.
    On,
    /// This message goes on in its place.
    As(JsonObject),
    /// It is a request that does not go on. Its sender gets this answer.
    Answered(JsonObject),
    /// It is a notification that does not go on.
    Dropped,
}

/// The mark on a request that passed a transport where a middleware could decide about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PassedTransport;

/// The members of a message that say what it is.
#[derive(Debug)]
pub(crate) struct MessageEnvelope {
    pub(crate) id: Option<Value>,
    pub(crate) method: Option<String>,
    is_stateless: bool,
    /// Whether the message carries nothing but its method and ids.
    is_bare: bool,
    /// Whether the id is one that a request may have.
    has_id: bool,
    /// Whether the message names a request by its id.
    names_request: bool,
}

impl MessageEnvelope {
    pub(crate) fn of(message: &JsonObject) -> MessageEnvelope {
        let meta = message.get("params").and_then(|params| params.get("_meta"));
        let version = meta.and_then(|meta| meta.get(PROTOCOL_VERSION)?.as_str());
        let method = message.get("method").and_then(Value::as_str);
        let request = message
            .get("params")
            .and_then(|params| params.get("requestId"));
        MessageEnvelope {
            has_id: message.get("id").is_some_and(is_id),
            names_request: request.is_some_and(is_id),
            id: message.get("id").filter(|id| !id.is_null()).cloned(),
            method: method.map(str::to_owned),
            is_bare: is_bare(message),
            is_stateless: version
                .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str()),
        }
    }

    /// Returns whether no middleware decides about such a message. An answer without contents tells nothing, such as the
    /// answer to a `ping`, and an exempt message of the server must tell nothing. A message that has only the name of an exempt
    /// one is the author's own.
    pub(crate) fn is_exempt(&self, toward: MessageDirection) -> bool {
        let Some(method) = self.method.as_deref() else {
            return self.is_bare;
        };
        let has_form = match exempt(method) {
            Some(true) => self.has_id,
            Some(false) => self.id.is_none() && self.names_request,
            None => false,
        };
        has_form && (toward == MessageDirection::Server || self.is_bare)
    }

    /// Returns what becomes of a message that does not go on. `text` is for whoever waits for it, `why` for programs.
    pub(crate) fn refused(
        self,
        toward: MessageDirection,
        text: &str,
        why: Option<Value>,
    ) -> MessageAction {
        let Some(id) = self.id else {
            return MessageAction::Dropped;
        };
        let is_call =
            self.method.as_deref() == Some("tools/call") && toward == MessageDirection::Server;
        let mut answer = object!({"jsonrpc": "2.0", "id": id});
        if is_call {
            let mut result = json!({
                "content": [{"type": "text", "text": text}],
                "isError": true,
            });
            if let Some(why) = why {
                result["_meta"] = json!({ VIOLATION: why });
            }
            if self.is_stateless {
                result["resultType"] = "complete".into();
            }
            answer.insert("result".to_owned(), result);
        } else {
            let mut error = json!({"code": -32603, "message": text});
            if let Some(why) = why {
                error["data"] = why;
            }
            answer.insert("error".to_owned(), error);
        }
        match self.method {
            Some(_) => MessageAction::Answered(answer),
            None => MessageAction::As(answer),
        }
    }
}

/// Returns whether a message carries nothing but its method and ids.
fn is_bare(message: &JsonObject) -> bool {
    let of_meta = |(name, value): (&String, &Value)| name == "progressToken" && is_id(value);
    let of_params = |(name, value): (&String, &Value)| match name.as_str() {
        "requestId" => is_id(value),
        "_meta" => value
            .as_object()
            .is_some_and(|meta| meta.iter().all(of_meta)),
        _ => false,
    };
    let of_result = |(name, value): (&String, &Value)| name == "resultType" && value == "complete";
    message.iter().all(|(name, value)| match name.as_str() {
        "jsonrpc" => value == "2.0",
        "method" => true,
        "id" => is_id(value),
        "params" => value
            .as_object()
            .is_some_and(|all| all.iter().all(of_params)),
        "result" => value
            .as_object()
            .is_some_and(|all| all.iter().all(of_result)),
        _ => false,
    })
}

/// Returns whether a value may be the id of a request or a token.
fn is_id(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= ID_BYTES,
        value => value.is_i64() || value.is_u64(),
    }
}

impl fmt::Display for MessageDirection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MessageDirection::Server => "inbound",
            MessageDirection::Client => "outbound",
        })
    }
}

#[cfg(test)]
mod tests;
