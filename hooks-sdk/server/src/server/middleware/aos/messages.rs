//! Whole messages of MCP as steps of the protocol: the guardian decides about each of them.

use rmcp::model::{ErrorCode, ErrorData, JsonObject};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    context::{TURN_META, ids},
    middleware::completed,
    unseen::hex,
};
use crate::server::{
    pipeline::{
        Author, AuthorRequest, Flow, McpRequest, MessageAction, MessageDirection, MessageEnvelope,
    },
    request::{count_unseen, was_seen},
};
use hooks_aos::{Denied, GuardianClient, McpMessage, Messages, StepOutcome, point};
use hooks_core::observe::TraceContext;

/// The members of `_meta` with the reasoning and with the trace of a message.
const REASONING_META: &str = "hooks-sdk/reasoning";
const TRACE_META: &str = "traceparent";

/// The longest reasoning, in bytes. The SDK ignores a longer one.
const LONGEST_REASONING: usize = 16 * 1024;

/// Asks the guardian about messages, and obeys it.
#[derive(Debug)]
pub(in crate::server) struct MessagesMiddleware {
    client: GuardianClient,
    messages: Messages,
}

impl MessagesMiddleware {
    /// Returns the middleware, if the client asks about messages.
    pub(in crate::server) fn new(
        client: &GuardianClient,
        author: &dyn Author,
    ) -> Option<MessagesMiddleware> {
        let messages = client.its_messages()?;
        let client = completed(client, author);
        Some(MessagesMiddleware { client, messages })
    }

    async fn ask(&self, message: JsonObject, session: &[u8]) -> StepOutcome<McpMessage> {
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

impl MessagesMiddleware {
    /// Refuses a request that came by a transport on which the guardian sees no messages.
    pub(in crate::server) fn before(request: &AuthorRequest) -> Flow {
        let is_exempt = matches!(request.asked, McpRequest::Ping());
        if is_exempt || was_seen(&request.cx.extensions) {
            return Flow::On;
        }
        count_unseen("request");
        tracing::error!(
            target: "hooks_sdk::server",
            "a request is refused: it came by a transport on which no guardian sees messages"
        );
        let message = "the guardian of this server has to see every message, and this transport does not show them; \
                       serve with `Hooked::serve` on a `WireTransport`, or with `http::Server`";
        let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None);
        Flow::answer(Err(error))
    }

    /// Returns whether the guardian decides about whole messages to this side.
    pub(in crate::server) fn decides(&self, toward: MessageDirection) -> bool {
        match toward {
            MessageDirection::Server => self.messages.inbound(),
            MessageDirection::Client => self.messages.outbound(),
        }
    }

    /// Decides about a whole message. The transports call this in tasks of their own, so it may wait. `session` identifies the
    /// session or the connection of the client.
    pub(in crate::server) async fn decide(
        &self,
        toward: MessageDirection,
        message: JsonObject,
        session: &[u8],
    ) -> MessageAction {
        let envelope = MessageEnvelope::of(&message);
        match self.ask(message, session).await {
            StepOutcome::Allowed | StepOutcome::Bypassed(_) => MessageAction::On,
            StepOutcome::Modified(step) => MessageAction::As(step.message),
            StepOutcome::Denied(denied) => {
                let method = envelope.method.as_deref().unwrap_or("an answer");
                tracing::warn!(
                    target: "hooks_sdk::server",
                    method, direction = %toward, "the guardian stopped a message"
                );
                let text = match (toward, &envelope.method) {
                    // The client waits for this answer.
                    (MessageDirection::Client, None) => denied.blocked_text(),
                    _ => denied.message.to_string(),
                };
                envelope.refused(toward, &text, Some(violation(&denied)))
            }
        }
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
