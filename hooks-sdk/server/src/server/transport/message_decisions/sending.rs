//! A message that is about to be sent, while a middleware decides about it.

use std::sync::Mutex;

use rmcp::model::{JsonObject, JsonRpcMessage, RequestId, ServerJsonRpcMessage, ServerResult};
use serde_json::json;
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{
    MessageAction, MessageDirection, MessageFilter, decision::MessageEnvelope,
    pending_messages::session,
};
use crate::server::{connection::Connection, lock, transport::message::answers};

/// The order in which messages leave, where a middleware decides about them.
pub(crate) struct SendingOrder {
    /// The end of the last message that leaves in order.
    last: Mutex<Option<CancellationToken>>,
    /// Takes the answers to the server's own requests that do not leave.
    refused: UnboundedSender<JsonObject>,
}

impl SendingOrder {
    /// Creates an order. The receiver gets the answers to the server's own requests that do not leave.
    pub(crate) fn new() -> (SendingOrder, UnboundedReceiver<JsonObject>) {
        let (refused, refusals) = mpsc::unbounded_channel();
        let last = Mutex::default();
        (SendingOrder { last, refused }, refusals)
    }

    /// Takes a message that is about to be sent.
    ///
    /// Requests and notifications leave in their order. An answer waits only for those before it.
    pub(crate) fn sends(
        &self,
        decider: &MessageFilter,
        message: &ServerJsonRpcMessage,
        connection: &Connection,
    ) -> Sending {
        let (is_asked, is_in_order) = match message {
            JsonRpcMessage::Response(response) => (!is_exempt(&response.result), false),
            JsonRpcMessage::Error(_) => (true, false),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => (true, true),
        };
        let mut last = lock(&self.last);
        let (before, place) = match is_in_order {
            true => {
                let own = CancellationToken::new();
                (last.replace(own.clone()), Some(own.drop_guard()))
            }
            // The answer to a ping waits for nothing.
            false => (last.clone().filter(|_| is_asked), None),
        };
        Sending {
            decider: is_asked.then(|| decider.clone()),
            session: session(connection),
            id: answers(message).cloned(),
            before,
            refused: self.refused.clone(),
            _place: place,
        }
    }
}

/// Returns whether nobody decides about a result: a handshake's, which only the handshake's own request has, and an empty
/// one. The type of the result tells it, so the id that a client chose does not matter.
fn is_exempt(result: &ServerResult) -> bool {
    use ServerResult::{DiscoverResult, EmptyResult, InitializeResult};
    matches!(
        result,
        InitializeResult(_) | DiscoverResult(_) | EmptyResult(_)
    )
}

/// A message that is about to be sent. The next one in its order leaves when this value is dropped.
pub(crate) struct Sending {
    decider: Option<MessageFilter>,
    session: Vec<u8>,
    /// The id of an answer.
    id: Option<RequestId>,
    /// The end of the message before it in the order.
    before: Option<CancellationToken>,
    refused: UnboundedSender<JsonObject>,
    /// Held until the message has left.
    _place: Option<DropGuard>,
}

impl Sending {
    /// Decides about the message, and waits until it may leave. Returns the text that leaves, or `None` if nothing does.
    pub(crate) async fn decide(&self, line: &[u8]) -> Option<Vec<u8>> {
        let passing = match &self.decider {
            None => MessageAction::On,
            Some(decider) => match serde_json::from_slice::<JsonObject>(line) {
                Ok(message) => {
                    decider
                        .decide(MessageDirection::Client, message, &self.session)
                        .await
                }
                Err(error) => self.unreadable(&error),
            },
        };
        if let Some(before) = &self.before {
            before.cancelled().await;
        }
        match passing {
            MessageAction::On => Some(line.trim_ascii_end().to_vec()),
            MessageAction::As(message) => serde_json::to_vec(&message).ok(),
            MessageAction::Answered(answer) => {
                // If nobody receives it, the connection has ended, and so has the request.
                _ = self.refused.send(answer);
                None
            }
            MessageAction::Dropped => None,
        }
    }

    /// Returns what becomes of a message that is nested too deep to be read back.
    fn unreadable(&self, error: &serde_json::Error) -> MessageAction {
        error!(%error, "a message is not sent: no guardian can read it");
        let mut answer = JsonObject::new();
        if let Some(id) = &self.id {
            answer.insert("id".to_owned(), json!(id));
        }
        let text = "the answer cannot be shown to the server's guardian; the server's log says why";
        MessageEnvelope::of(&answer).refused(MessageDirection::Client, text, None)
    }
}
