//! Whole messages of MCP as steps of the protocol: the guardian decides about each of them.

use futures::future::BoxFuture;
use rmcp::model::{ErrorCode, ErrorData, JsonObject};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    context::{TURN_META, ids},
    station::completed,
    unseen::hex,
};
use crate::{
    aos::{Denied, GuardianClient, McpMessage, Messages, Ruled, point},
    core::observe::TraceContext,
    server::{
        request::was_seen,
        way::{
            Asked, Author, Call, Envelope, Flow, Passing, Place, Request, Station, Step, Toward,
            Way,
        },
    },
};

/// The members of `_meta` with the reasoning and with the trace of a message.
const REASONING_META: &str = "hooks-sdk/reasoning";
const TRACE_META: &str = "traceparent";

/// The longest reasoning, in bytes. The SDK ignores a longer one.
const LONGEST_REASONING: usize = 16 * 1024;

/// Asks the guardian about messages, and obeys it.
#[derive(Debug)]
pub(in crate::server) struct MessagesStation {
    client: GuardianClient,
    messages: Messages,
}

impl MessagesStation {
    /// Returns the station, if the client asks about messages.
    pub(in crate::server) fn new(
        client: &GuardianClient,
        author: &dyn Author,
    ) -> Option<MessagesStation> {
        let messages = client.its_messages()?;
        let client = completed(client, author);
        Some(MessagesStation { client, messages })
    }

    async fn ask(&self, message: JsonObject, session: &[u8]) -> Ruled<McpMessage> {
        let session = hex(&Sha256::digest(session)[..16]);
        let meta = |name: &str| {
            let within = message.get("params").or_else(|| message.get("result"));
            within?.get("_meta")?.get(name)
        };
        let mut step = self.client.at(ids(session, meta(TURN_META)));
        let reasoning = meta(REASONING_META).and_then(Value::as_str);
        if let Some(reasoning) =
            reasoning.filter(|text| (1..=LONGEST_REASONING).contains(&text.len()))
        {
            step = step.reasoning(reasoning);
        }
        let trace = meta(TRACE_META).and_then(Value::as_str);
        if let Some(trace) = trace.and_then(|parent| TraceContext::new(parent, None)) {
            step = step.trace_parent(trace.parent());
        }
        step.ask(point::mcp, McpMessage::new(message)).await
    }
}

impl Station for MessagesStation {
    fn place(&self) -> Place {
        Place::Messages
    }

    fn decides(&self, toward: Toward) -> bool {
        match toward {
            Toward::Server => self.messages.inbound(),
            Toward::Client => self.messages.outbound(),
        }
    }

    fn decide<'a>(
        &'a self,
        toward: Toward,
        message: JsonObject,
        session: &'a [u8],
    ) -> BoxFuture<'a, Passing> {
        Box::pin(async move {
            let envelope = Envelope::of(&message);
            match self.ask(message, session).await {
                Ruled::Allowed | Ruled::Bypassed(_) => Passing::On,
                Ruled::Modified(step) => Passing::As(step.message),
                Ruled::Denied(denied) => {
                    let method = envelope.method.as_deref().unwrap_or("an answer");
                    tracing::warn!(method, direction = %toward, "the guardian stopped a message");
                    let text = match (toward, &envelope.method) {
                        // The client waits for this answer.
                        (Toward::Client, None) => denied.blocked_text(),
                        _ => denied.message.to_string(),
                    };
                    envelope.refused(toward, &text, Some(violation(&denied)))
                }
            }
        })
    }

    fn before<'a>(
        &'a self,
        request: &'a mut Request,
        _: &'a mut Call,
        _: &'a Way,
    ) -> Step<'a, Flow> {
        let is_exempt = matches!(request.asked, Asked::Ping());
        if is_exempt || was_seen(&request.cx.extensions) {
            return Step::Now(Flow::On);
        }
        tracing::error!(
            "a request is refused: it came by a transport on which no guardian sees messages"
        );
        let message = "the guardian of this server has to see every message, and this transport does not show them; \
                       serve with `Hooked::serve` on a `WireTransport`, or with `http::Server` or `http::Door`";
        let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None);
        Step::Now(Flow::answer(Err(error)))
    }
}

/// Returns why a message was stopped, for programs.
fn violation(denied: &Denied) -> Value {
    let class = denied.failure.map(|class| format!("guardian_{class}"));
    let code = denied.reason_codes.first().cloned().or(class);
    json!({
        "code": code.as_deref().unwrap_or("guardian_denied"),
        "reason": denied.message,
    })
}
