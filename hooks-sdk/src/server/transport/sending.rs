//! A message that is about to be sent, while a station decides about it.

use rmcp::model::JsonObject;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::server::way::{Decider, Envelope, Passing, Toward};

/// A message that is about to be sent. The next one in its order leaves when this value is dropped.
pub(super) struct Sending {
    pub(super) decider: Option<Decider>,
    pub(super) session: Vec<u8>,
    /// The id of an answer, as JSON.
    pub(super) id: Option<String>,
    pub(super) before: CancellationToken,
    pub(super) refused: UnboundedSender<JsonObject>,
    /// Held until the message has left.
    pub(super) _place: Option<DropGuard>,
}

/// What is sent in place of a message.
pub(super) enum Sent {
    AsItIs,
    As(Vec<u8>),
    Nothing,
}

impl Sending {
    /// Decides about the message, and waits until it may leave.
    pub(super) async fn decide(&self, line: &[u8]) -> Sent {
        let passing = match &self.decider {
            None => Passing::On,
            Some(decider) => match serde_json::from_slice::<JsonObject>(line) {
                Ok(message) => decider.decide(Toward::Client, message, &self.session).await,
                Err(error) => self.unreadable(&error),
            },
        };
        self.before.cancelled().await;
        match passing {
            Passing::On => Sent::AsItIs,
            Passing::As(message) => serde_json::to_vec(&message).map_or(Sent::Nothing, Sent::As),
            Passing::Answered(answer) => {
                // If nobody receives it, the connection has ended, and so has the request.
                _ = self.refused.send(answer);
                Sent::Nothing
            }
            Passing::Dropped => Sent::Nothing,
        }
    }

    /// Returns what becomes of a message that is nested too deep to be read back.
    fn unreadable(&self, error: &serde_json::Error) -> Passing {
        tracing::error!(%error, "a message is not sent: no guardian can read it");
        let mut answer = JsonObject::new();
        if let Some(id) = &self.id {
            let id = serde_json::from_str(id).unwrap_or_default();
            answer.insert("id".to_owned(), id);
        }
        let text = "the answer cannot be shown to the server's guardian; the server's log says why";
        Envelope::of(&answer).refused(Toward::Client, text, None)
    }
}
