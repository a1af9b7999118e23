//! Whole messages of MCP as steps of the protocol: the guardian decides about each of them.

use rmcp::model::{ErrorCode, ErrorData, JsonObject};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{
    context::{TURN_META, ids},
    middleware::completed,
};
#[cfg(feature = "log")]
use crate::server::pipeline::add_stop;
use crate::server::{
    hex,
    pipeline::{Author, AuthorRequest, Flow, McpRequest, caught_later},
    request::{count_unseen, was_seen},
    transport::message_decisions::{MessageAction, MessageDirection, MessageEnvelope},
};
use hooks_aos::{GuardianClient, McpMessage, Messages, StepOutcome, point};
use hooks_core::observe::TraceContext;

/// The members of `_meta` with the reasoning and with the trace of a message.
const REASONING_META: &str = "hooks-sdk/reasoning";
const TRACE_META: &str = "traceparent";

/// The longest reasoning, in bytes. The SDK ignores a longer one.
const LONGEST_REASONING: usize = 16 * 1024;

/// Asks the guardian about whole messages, and obeys it.
#[derive(Clone, Debug)]
pub(crate) struct MessageFilter {
    client: GuardianClient,
    messages: Messages,
    /// Gets a line for each message that does not go on.
    #[cfg(feature = "log")]
    log: Option<hooks_log::DecisionLog>,
}

impl MessageFilter {
    /// Returns the middleware, if the client asks about messages.
    pub(crate) fn new(
        client: &GuardianClient,
        author: &dyn Author,
        #[cfg(feature = "log")] log: Option<&hooks_log::DecisionLog>,
    ) -> Option<MessageFilter> {
        Some(MessageFilter {
            messages: client.its_messages()?,
            client: completed(client, author),
            #[cfg(feature = "log")]
            log: log.cloned(),
        })
    }

    /// Refuses a request that came by a transport on which the guardian sees no messages.
    pub(crate) fn before(request: &AuthorRequest) -> Flow {
        let is_exempt = matches!(request.asked, McpRequest::Ping());
        if is_exempt || was_seen(&request.cx.extensions) {
            return Flow::On;
        }
        count_unseen("request");
        error!("a request is refused: it came by a transport on which no guardian sees messages");
        let message = "the guardian of this server has to see every message, and this transport does not show them; \
                       serve with `Hooked::serve` on a `WireTransport`, or with `http::Server`";
        let error = ErrorData::new(ErrorCode::INTERNAL_ERROR, message, None);
        Flow::answer(Err(error))
    }

    /// Returns whether the guardian decides about messages to this side.
    pub(crate) fn decides(&self, toward: MessageDirection) -> bool {
        match toward {
            MessageDirection::Server => self.messages.inbound(),
            MessageDirection::Client => self.messages.outbound(),
        }
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
        // In a box: messages about which nobody decides have no room for it.
        let method = envelope.method.as_deref().unwrap_or_default();
        let asked = Box::pin(self.ask(message, session));
        let denied = match caught_later(method, asked).await {
            Ok(StepOutcome::Allowed | StepOutcome::Bypassed(_)) => return MessageAction::On,
            Ok(StepOutcome::Modified(step)) => return MessageAction::As(step.message),
            Ok(StepOutcome::Denied(denied)) => denied,
            Err(failed) => return self.stop(envelope, toward, &failed.message, None),
        };
        let method = envelope.method.as_deref().unwrap_or("an answer");
        warn!(method, direction = %toward, "the guardian stopped a message");
        let text = match (toward, &envelope.method) {
            // The client waits for this answer.
            (MessageDirection::Client, None) => denied.blocked_text(),
            _ => denied.message.to_string(),
        };
        let class = denied.failure.map(|class| format!("guardian_{class}"));
        let code = denied.reason_codes.into_iter().next().or(class);
        let code = code.unwrap_or_else(|| "guardian_denied".to_owned());
        let why = json!({"code": code, "reason": denied.message});
        self.stop(envelope, toward, &text, Some((code, why)))
    }

    /// Stops a message, and writes a line about it. `why` is the code, and the reason for programs. Without it, the SDK failed.
    fn stop(
        &self,
        envelope: MessageEnvelope,
        toward: MessageDirection,
        text: &str,
        mut why: Option<(String, Value)>,
    ) -> MessageAction {
        #[cfg(feature = "log")]
        if let Some(log) = &self.log {
            let code = why.as_ref().map(|(code, _)| &**code);
            let id = log_stop(log, &envelope, code.unwrap_or("middleware_failed"));
            if let Some((_, why)) = &mut why {
                why["decision_id"] = json!(id);
            }
        }
        let why = why.take().map(|(_, why)| why);
        envelope.refused(toward, text, why)
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

/// Writes a line about a message that does not go on. Returns the id of the decision.
#[cfg(feature = "log")]
fn log_stop(
    log: &hooks_log::DecisionLog,
    envelope: &MessageEnvelope,
    code: &str,
) -> std::sync::Arc<str> {
    let mut stop = hooks_log::LogStop::new("guardian", "message", code);
    // The codes of missing decisions begin like this.
    let failed = code != "guardian_denied" && code.starts_with("guardian_");
    if failed || code == "middleware_failed" {
        stop = stop.posture("deny");
    }
    let method = envelope.method.clone().unwrap_or_default();
    add_stop(log, (method, ""), Some(stop), Vec::new(), |entry| {
        entry.request = envelope.id.as_ref().map(|id| id.to_string().into());
    })
}
