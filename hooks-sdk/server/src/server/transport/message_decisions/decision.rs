//! Whole messages about which a middleware decides, before the server handles them and before they are sent.

use std::fmt;
#[cfg(feature = "aos")]
use std::sync::Arc;

use rmcp::model::{JsonObject, ProtocolVersion};
use serde_json::{Value, json};

use crate::server::{
    methods::exempt, transport::normalise::PROTOCOL_VERSION, violation::VIOLATION,
};
#[cfg(feature = "aos")]
use crate::server::{middleware::aos::MessagesMiddleware, pipeline::failed};
#[cfg(feature = "aos")]
use hooks_core::internal::catch_panic;

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

/// The middleware that decides about whole messages.
#[derive(Clone, Debug)]
pub(crate) struct MessageFilter {
    middleware: Deciding,
    #[cfg(all(feature = "aos", feature = "log"))]
    log: Option<hooks_log::DecisionLog>,
}

#[cfg(feature = "aos")]
type Deciding = Arc<MessagesMiddleware>;
#[cfg(not(feature = "aos"))]
type Deciding = std::convert::Infallible;

#[cfg(not(feature = "aos"))]
impl MessageFilter {
    pub(crate) fn decides(&self, _: MessageDirection) -> bool {
        match self.middleware {}
    }

    pub(crate) async fn decide(
        &self,
        _: MessageDirection,
        _: JsonObject,
        _: &[u8],
    ) -> MessageAction {
        match self.middleware {}
    }
}

#[cfg(feature = "aos")]
impl MessageFilter {
    pub(in crate::server) fn new(middleware: MessagesMiddleware) -> MessageFilter {
        MessageFilter {
            middleware: Arc::new(middleware),
            #[cfg(feature = "log")]
            log: None,
        }
    }

    /// Sets the decision log, which gets a line for each message that does not go on.
    #[cfg(feature = "log")]
    pub(in crate::server) fn logged(
        mut self,
        log: Option<&hooks_log::DecisionLog>,
    ) -> MessageFilter {
        self.log = log.cloned();
        self
    }

    /// Writes a line about a message that does not go on, and the id of the decision into its answer.
    #[cfg(feature = "log")]
    fn stopped(&self, envelope: &MessageEnvelope, action: &mut MessageAction, failed: bool) {
        use crate::server::pipeline::add_decision;
        use hooks_log::{DecisionEntry, LogDecision, LogStop};

        let violation = match action {
            MessageAction::On => return,
            MessageAction::As(changed) => match refusal_in(changed) {
                Some(refusal) => Some(refusal),
                None => return,
            },
            MessageAction::Answered(answer) => violation_in(answer),
            MessageAction::Dropped => None,
        };
        let Some(log) = &self.log else {
            return;
        };
        let id = log.decision_id();
        let mut code = None;
        if let Some(violation) = violation {
            violation.insert("decision_id".to_owned(), json!(id));
            code = violation.get("code").and_then(Value::as_str);
        }
        let code = code.unwrap_or(match failed {
            true => "middleware_failed",
            false => "guardian_denied",
        });
        // The codes of missing decisions begin like this.
        let failed = failed || code != "guardian_denied" && code.starts_with("guardian_");
        let stop = LogStop::new("guardian", "message", code);
        let (decision, stop) = match failed {
            true => (LogDecision::Failed, stop.posture("deny")),
            false => (LogDecision::Denied, stop),
        };
        let method = envelope.method.clone().unwrap_or_default();
        let mut entry = DecisionEntry::stopped(id, method, "", decision, stop);
        entry.request = envelope.id.as_ref().map(|id| id.to_string().into());
        add_decision(log, entry);
    }

    /// Returns whether it decides about messages to this side.
    pub(crate) fn decides(&self, toward: MessageDirection) -> bool {
        self.middleware.decides(toward)
    }

    /// Decides about a message. `session` identifies the session or the connection of the client.
    pub(crate) async fn decide(
        &self,
        toward: MessageDirection,
        message: JsonObject,
        session: &[u8],
    ) -> MessageAction {
        let envelope = MessageEnvelope::of(&message);
        if !self.decides(toward) || envelope.is_exempt(toward) {
            return MessageAction::On;
        }
        let method = envelope.method.clone().unwrap_or_default();
        let decided = catch_panic(self.middleware.decide(toward, message, session)).await;
        #[cfg(feature = "log")]
        let has_failed = decided.is_err();
        #[cfg_attr(
            not(feature = "log"),
            allow(unused_mut, reason = "a log writes an id into it")
        )]
        let mut action = decided.unwrap_or_else(|failure| {
            let error = failed(&method, &failure);
            envelope.clone().refused(toward, &error.message, None)
        });
        #[cfg(feature = "log")]
        self.stopped(&envelope, &mut action, has_failed);
        action
    }
}

/// Returns the violation in an answer that takes the place of one that was refused.
#[cfg(all(feature = "aos", feature = "log"))]
fn refusal_in(answer: &mut JsonObject) -> Option<&mut JsonObject> {
    let data = answer.get_mut("error")?.get_mut("data")?.as_object_mut()?;
    let is_refusal =
        ["code", "reason"].map(|member| data.get(member).is_some_and(Value::is_string));
    (is_refusal == [true, true]).then_some(data)
}

/// Returns the violation in the answer to a message that was refused.
#[cfg(all(feature = "aos", feature = "log"))]
fn violation_in(answer: &mut JsonObject) -> Option<&mut JsonObject> {
    let (within, member) = match answer.contains_key("error") {
        true => (answer.get_mut("error")?, "data"),
        false => (answer.get_mut("result")?.get_mut("_meta")?, VIOLATION),
    };
    let violation = within.as_object_mut()?.entry(member);
    violation.or_insert_with(|| json!({})).as_object_mut()
}

/// The members of a message that say what it is.
#[derive(Clone, Debug)]
pub(crate) struct MessageEnvelope {
    id: Option<Value>,
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

    /// Returns the id of a request or of an answer, as JSON.
    pub(crate) fn id(&self) -> Option<String> {
        self.id.as_ref().map(Value::to_string)
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
