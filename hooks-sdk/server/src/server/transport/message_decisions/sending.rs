//! A message that is about to be sent, while a middleware decides about it.

use rmcp::model::JsonObject;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::{MessageAction, MessageDirection, MessageEnvelope, MessageFilter};
pub(in crate::server::transport) use crate::server::transport::leaves::Replacement;

/// A message that is about to be sent. The next one in its order leaves when this value is dropped.
pub(in crate::server::transport) struct Sending {
    pub(in crate::server::transport) decider: Option<MessageFilter>,
    pub(in crate::server::transport) session: Vec<u8>,
    /// The id of an answer, as JSON.
    pub(in crate::server::transport) id: Option<String>,
    pub(in crate::server::transport) before: CancellationToken,
    pub(in crate::server::transport) refused: UnboundedSender<JsonObject>,
    /// Held until the message has left.
    pub(in crate::server::transport) _place: Option<DropGuard>,
}

impl Sending {
    /// Decides about the message, and waits until it may leave.
    pub(in crate::server::transport) async fn decide(&self, line: &[u8]) -> Replacement {
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
        self.before.cancelled().await;
        match passing {
            MessageAction::On => Replacement::AsItIs,
            MessageAction::As(message) => {
                serde_json::to_vec(&message).map_or(Replacement::Nothing, Replacement::As)
            }
            MessageAction::Answered(answer) => {
                // If nobody receives it, the connection has ended, and so has the request.
                _ = self.refused.send(answer);
                Replacement::Nothing
            }
            MessageAction::Dropped => Replacement::Nothing,
        }
    }

    /// Returns what becomes of a message that is nested too deep to be read back.
    fn unreadable(&self, error: &serde_json::Error) -> MessageAction {
        tracing::error!(
            target: "hooks_sdk::server",
            %error, "a message is not sent: no guardian can read it"
        );
        let mut answer = JsonObject::new();
        if let Some(id) = &self.id {
            let id = serde_json::from_str(id).unwrap_or_default();
            answer.insert("id".to_owned(), id);
        }
        let text = "the answer cannot be shown to the server's guardian; the server's log says why";
        MessageEnvelope::of(&answer).refused(MessageDirection::Client, text, None)
    }
}
