//! Whole messages about which a station decides, before the server handles them and before they are sent.

use std::{fmt, sync::Arc};

use rmcp::model::{JsonObject, ProtocolVersion};
use serde_json::{Value, json};

use super::{Station, Stations, failed};
use crate::{core::dispatch::catch_panic, server::methods::is_exempt};

/// The member of `_meta` with the revision of MCP, in requests of protocol 2026-07-28.
const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// The member of a tool's `_meta` that says why the call was refused, for programs.
const VIOLATION: &str = "hooks-sdk/violation";

/// The side that a message goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Toward {
    Server,
    Client,
}

/// What becomes of a message.
#[derive(Debug, PartialEq)]
pub(crate) enum Passing {
    /// It goes on as it is.
    On,
    /// This message goes on in its place.
    As(JsonObject),
    /// It is a request that does not go on. Its sender gets this answer.
    Answered(JsonObject),
    /// It is a notification that does not go on.
    Dropped,
}

/// The mark on a request that passed a door where a station could decide about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen;

/// The station that decides about whole messages.
#[derive(Clone, Debug)]
pub(crate) struct Decider(Arc<dyn Station>);

impl Decider {
    /// Returns the station that decides, if there is one.
    pub(in crate::server) fn of(stations: &Stations) -> Option<Decider> {
        let mut stations = stations.iter();
        let decides = |station: &&Arc<dyn Station>| {
            station.decides(Toward::Server) || station.decides(Toward::Client)
        };
        stations.find(decides).cloned().map(Decider)
    }

    /// Returns whether it decides about messages to this side.
    pub(crate) fn decides(&self, toward: Toward) -> bool {
        self.0.decides(toward)
    }

    /// Decides about a message. `session` identifies the session or the connection of the client.
    pub(crate) async fn decide(
        &self,
        toward: Toward,
        message: JsonObject,
        session: &[u8],
    ) -> Passing {
        let envelope = Envelope::of(&message);
        if !self.decides(toward) || envelope.is_exempt() {
            return Passing::On;
        }
        let method = envelope.method.clone().unwrap_or_default();
        let decided = catch_panic(self.0.decide(toward, message, session)).await;
        decided.unwrap_or_else(|failure| {
            let error = failed(&method, &failure);
            envelope.refused(toward, &error.message, None)
        })
    }
}

/// The members of a message that say what it is.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    id: Option<Value>,
    pub(crate) method: Option<String>,
    is_stateless: bool,
}

impl Envelope {
    pub(crate) fn of(message: &JsonObject) -> Envelope {
        let meta = message.get("params").and_then(|params| params.get("_meta"));
        let version = meta.and_then(|meta| meta.get(PROTOCOL_VERSION)?.as_str());
        let method = message.get("method").and_then(Value::as_str);
        Envelope {
            id: message.get("id").filter(|id| !id.is_null()).cloned(),
            method: method.map(str::to_owned),
            is_stateless: version
                .is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str()),
        }
    }

    /// Returns the id of a request or of an answer, as JSON.
    pub(crate) fn id(&self) -> Option<String> {
        self.id.as_ref().map(Value::to_string)
    }

    /// Returns whether this is an answer to the request with this id.
    #[cfg(feature = "http")]
    pub(crate) fn answers(&self, id: &str) -> bool {
        self.method.is_none() && self.id().is_some_and(|own| own == id)
    }

    /// Returns whether no station decides about such a message.
    pub(crate) fn is_exempt(&self) -> bool {
        let method = self.method.as_deref();
        method.is_some_and(is_exempt)
    }

    /// Returns what becomes of a message that does not go on. `text` is for whoever waits for it, `why` for programs.
    pub(crate) fn refused(self, toward: Toward, text: &str, why: Option<Value>) -> Passing {
        let Some(id) = self.id else {
            return Passing::Dropped;
        };
        let is_call = self.method.as_deref() == Some("tools/call") && toward == Toward::Server;
        let mut answer = JsonObject::new();
        answer.insert("jsonrpc".to_owned(), "2.0".into());
        answer.insert("id".to_owned(), id);
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
            Some(_) => Passing::Answered(answer),
            None => Passing::As(answer),
        }
    }
}

impl fmt::Display for Toward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Toward::Server => "inbound",
            Toward::Client => "outbound",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(toward: Toward, message: Value) -> Passing {
        let Value::Object(message) = message else {
            panic!("an object");
        };
        Envelope::of(&message).refused(toward, "no", None)
    }

    fn object(value: Value) -> JsonObject {
        let Value::Object(object) = value else {
            panic!("an object");
        };
        object
    }

    #[test]
    fn whoever_waits_for_a_refused_message_is_told() {
        let error = |id: Value| {
            object(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32603, "message": "no"}}))
        };
        let mut result = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
        let call =
            |meta: Value| json!({"id": "a", "method": "tools/call", "params": {"_meta": meta}});
        for toward in [Toward::Server, Toward::Client] {
            let asked = refused(toward, json!({"id": 3, "method": "x/y"}));
            assert_eq!(asked, Passing::Answered(error(json!(3))));
            let answer = refused(toward, json!({"id": 3, "result": {}}));
            assert_eq!(answer, Passing::As(error(json!(3))));
            let told = refused(toward, json!({"method": "notifications/progress"}));
            assert_eq!(told, Passing::Dropped);
        }
        let answered = |result: &Value| {
            Passing::Answered(object(
                json!({"jsonrpc": "2.0", "id": "a", "result": result}),
            ))
        };
        assert_eq!(refused(Toward::Server, call(json!({}))), answered(&result));
        result["resultType"] = json!("complete");
        let stateless = call(json!({PROTOCOL_VERSION: "2026-07-28"}));
        assert_eq!(refused(Toward::Server, stateless), answered(&result));
    }
}
