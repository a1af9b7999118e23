//! Everything that leaves on a stream: what rmcp sends, and the answers of the requests that the SDK runs.

use std::{future::ready, io, sync::Arc};

use futures::future::Either;
use rmcp::model::{
    CallToolResult, CustomResult, JsonObject, JsonRpcMessage, JsonRpcResponse, ServerCapabilities,
    ServerJsonRpcMessage, ServerResult,
};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Mutex;

use super::{
    in_flight::Load,
    marks::{self, LIFT, unmarked},
    message_decisions::{
        MessageDirection,
        sending::{Sending, SendingOrder},
    },
    writer::{MessageWriter, QueuedBytes},
};
#[cfg(feature = "mcpl")]
use crate::server::middleware::mcpl;
use crate::server::{connection::Connection, methods};
#[cfg(feature = "mcpl")]
use hooks_mcpl::internal::{AfterSend, Link};

/// The sending side of a stream.
pub(super) struct Outbox {
    pub(super) connection: Arc<Connection>,
    pub(super) load: Arc<Load>,
    pub(super) order: SendingOrder,
    pub(super) queued: Arc<QueuedBytes>,
    pub(super) write: Mutex<MessageWriter>,
}

impl Outbox {
    /// Sends a message. What this function itself does happens in the order of its calls.
    pub(super) fn send(
        self: &Arc<Outbox>,
        mut item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + use<> {
        let Some(leaving) = self.connection.leaves(Some(&self.order), &mut item) else {
            return Either::Left(ready(Ok(())));
        };
        let Leaving {
            on_sent,
            sending,
            text,
        } = leaving;
        let line = text.map(|text| self.queued.line(text));
        let outbox = self.clone();
        Either::Right(async move {
            let mut line = line?;
            if let Some(sending) = &sending {
                let Some(text) = sending.decide(&line.text).await else {
                    on_sent.ended();
                    return Ok(());
                };
                line = outbox.queued.line(text);
            }
            let mut write = outbox.write.lock().await;
            on_sent.begins();
            write.write(line).await?;
            on_sent.ended();
            Ok(())
        })
    }

    /// Sends a text that no middleware sees, in a task of its own.
    pub(super) fn send_text(self: &Arc<Outbox>, text: Vec<u8>) {
        let (line, outbox) = (self.queued.line(text), self.clone());
        tokio::spawn(async move {
            if let Err(error) = outbox.write.lock().await.write(line).await {
                debug!(%error, "an answer could not be written");
            }
        });
    }
}

/// A message that may leave, and its text.
pub(super) struct Leaving {
    pub(super) on_sent: OnSent,
    /// The decision about it, if a middleware decides. In a box, because most messages have none.
    pub(super) sending: Option<Box<Sending>>,
    pub(super) text: serde_json::Result<Vec<u8>>,
}

/// What MCPL does when a message is sent.
pub(super) struct OnSent {
    #[cfg(feature = "mcpl")]
    mcpl: Option<(Arc<Link>, AfterSend)>,
}

impl OnSent {
    /// Call this when the message is about to be sent.
    pub(super) fn begins(&self) {
        #[cfg(feature = "mcpl")]
        if let Some((link, work)) = &self.mcpl {
            work.begins(link);
        }
    }

    /// Call this when the message is sent, or cannot be sent any more.
    pub(super) fn ended(self) {
        #[cfg(feature = "mcpl")]
        if let Some((link, work)) = self.mcpl {
            work.ended(&link);
        }
    }
}

impl Connection {
    /// Corrects a message before it is sent, whatever transport it leaves by. Returns `None` if it must not leave. Only a
    /// connection whose messages no middleware decides about has no `order`.
    pub(super) fn leaves(
        &self,
        order: Option<&SendingOrder>,
        message: &mut ServerJsonRpcMessage,
    ) -> Option<Leaving> {
        let is_answer = matches!(
            message,
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)
        );
        if !is_answer && !self.corrects(message) {
            return None;
        }
        let on_sent = OnSent {
            #[cfg(feature = "mcpl")]
            mcpl: self.mcpl().and_then(|host| mcpl::outbound(message, host)),
        };
        let decided = self.decider(MessageDirection::Client).zip(order);
        let sending = decided.map(|(decider, order)| Box::new(order.sends(decider, message, self)));
        let text = text(message);
        #[cfg(feature = "policy-engine")]
        let text = match self.parts().and_then(|parts| parts.plugin.as_ref()) {
            // The pipeline has cleaned answers.
            Some(plugin) if !is_answer => {
                text.map(|text| plugin.clean_message(&text).unwrap_or(text))
            }
            _ => text,
        };
        Some(Leaving {
            on_sent,
            sending,
            text,
        })
    }

    /// Removes from a request or a notification of the server what must not leave. Returns whether the rest leaves: its method has
    /// a row, no middleware withholds it, and it acknowledges no subscription that the middleware have not let pass.
    fn corrects(&self, message: &mut ServerJsonRpcMessage) -> bool {
        self.clocks.sends(message);
        let parts = self.parts();
        marks::of_notification(message, parts.is_some_and(|parts| parts.judges_tasks));
        methods::may_leave(message)
            && !marks::is_early(message)
            && !parts
                .zip(marks::updated(message))
                .is_some_and(|(parts, uri)| parts.hides(uri))
    }
}

/// Returns the text of a message as it is sent.
fn text(message: &mut ServerJsonRpcMessage) -> serde_json::Result<Vec<u8>> {
    if let JsonRpcMessage::Response(response) = message {
        lift_capabilities(&mut response.result);
        if let ServerResult::CallToolResult(result) = &mut response.result
            && let Some(members) = take_members(result)
        {
            let result = WithMembers { result, members };
            let id = response.id.clone();
            return serde_json::to_vec(&JsonRpcResponse {
                jsonrpc: response.jsonrpc,
                id,
                result,
            });
        }
    }
    serde_json::to_vec(message)
}

/// Moves the members under [`LIFT`] to the top level of `capabilities`. This happens once in a handshake.
fn lift_capabilities(result: &mut ServerResult) {
    let lift = match result {
        ServerResult::InitializeResult(result) => take_lift(&mut result.capabilities),
        ServerResult::DiscoverResult(result) => take_lift(&mut result.capabilities),
        _ => None,
    };
    if let Some(lift) = lift
        && let Ok(mut whole) = serde_json::to_value(&*result)
        && let Some(Value::Object(capabilities)) = whole.get_mut("capabilities")
    {
        capabilities.extend(lift);
        *result = ServerResult::CustomResult(CustomResult::new(whole));
    }
}

fn take_lift(capabilities: &mut ServerCapabilities) -> Option<JsonObject> {
    let experimental = capabilities.experimental.as_mut()?;
    let lift = experimental.remove(LIFT);
    if experimental.is_empty() {
        capabilities.experimental = None;
    }
    lift.and_then(|held| unmarked(held.into()))
}

/// Takes the members under [`LIFT`] for the top level of a tool's result.
fn take_members(result: &mut CallToolResult) -> Option<JsonObject> {
    let meta = result.meta.as_mut()?;
    let members = meta.remove(LIFT)?;
    if meta.is_empty() {
        result.meta = None;
    }
    unmarked(members)
}

/// A tool's result with members that rmcp's type lacks.
#[derive(Serialize)]
struct WithMembers<'m> {
    #[serde(flatten)]
    result: &'m CallToolResult,
    #[serde(flatten)]
    members: JsonObject,
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ContentBlock, MetaObject, NumberOrString};
    use serde_json::json;

    use super::{marks::marked, *};

    fn sent(meta: Value) -> Value {
        let mut result = CallToolResult::success(vec![ContentBlock::text("done")]);
        result.meta = meta.as_object().cloned().map(MetaObject);
        let result = ServerResult::CallToolResult(result);
        let mut message = JsonRpcMessage::response(result, NumberOrString::Number(1));
        let mut sent: Value = serde_json::from_slice(&text(&mut message).unwrap()).unwrap();
        assert_eq!((&sent["jsonrpc"], &sent["id"]), (&json!("2.0"), &json!(1)));
        sent["result"].take()
    }

    #[test]
    fn members_of_a_tools_result_stand_at_its_top_level() {
        let plain = sent(Value::Null);
        for (meta, kept) in [(json!({}), None), (json!({"a": 1}), Some(json!({"a": 1})))] {
            let mut expected = plain.clone();
            expected["state"] = json!({"n": 1});
            if let Some(kept) = kept {
                expected["_meta"] = kept;
            }
            let mut meta = meta;
            let state = json!({"state": {"n": 1}}).as_object().cloned().unwrap();
            meta[LIFT] = marked(state).into();
            assert_eq!(sent(meta), expected);
        }
    }

    #[test]
    fn members_that_another_process_marked_are_dropped() {
        let foreign = json!({"0123456789abcdef0123456789abcdef": {"content": []}});
        for held in [json!({"content": []}), foreign, json!(1)] {
            assert_eq!(sent(json!({ LIFT: held })), sent(Value::Null));
        }
    }
}
