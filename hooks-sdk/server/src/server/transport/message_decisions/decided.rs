//! What the transport does when a middleware has decided about a message.

use rmcp::{
    ErrorData, RoleServer,
    model::{GetExtensions, JsonObject, JsonRpcMessage},
    service::RxJsonRpcMessage,
};

use super::{
    MessageAction, MessageDirection, MessageEnvelope, PassedTransport,
    pending_messages::{DecidedMessage, Event},
};
use crate::server::transport::{
    WireTransport,
    message::{Id, Malformed},
    read::{WantedMembers, read},
};

impl WireTransport {
    /// Returns the message that goes on. Returns `None` if it is held back, answered or dropped.
    pub(in crate::server::transport) fn happened(
        &mut self,
        event: Event,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let DecidedMessage {
            message,
            passing,
            place: _place,
            ..
        } = match event {
            Event::Decided(decided) => decided,
            Event::Refused(answer) => return self.goes_on(&bytes(&answer)).ok().flatten(),
        };
        let changed = match passing {
            MessageAction::On => {
                return self.goes_on(&message).unwrap_or_else(|malformed| {
                    self.refuse(malformed.error, malformed.id);
                    None
                });
            }
            MessageAction::As(changed) => changed,
            MessageAction::Answered(answer) => {
                self.outbox.send_text(bytes(&answer));
                return None;
            }
            MessageAction::Dropped => return None,
        };
        match self.goes_on(&bytes(&changed)) {
            Ok(message) => message,
            Err(malformed) => self.unusable(&changed, &malformed.error),
        }
    }

    /// Reads a message, and admits it.
    fn goes_on(&mut self, line: &[u8]) -> Result<Option<RxJsonRpcMessage<RoleServer>>, Malformed> {
        let Some(message) = self.read(line)? else {
            return Ok(None);
        };
        Ok(self.admit(seen(message), line.len()))
    }

    /// Stops a message because what a middleware made of it cannot be read.
    fn unusable(
        &mut self,
        changed: &JsonObject,
        error: &ErrorData,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let text = format!(
            "the guardian of this server changed the message, and the change cannot be used: {}",
            error.message
        );
        tracing::warn!(target: "hooks_sdk::server", "{text}");
        match MessageEnvelope::of(changed).refused(MessageDirection::Server, &text, None) {
            MessageAction::Answered(answer) => self.outbox.send_text(bytes(&answer)),
            MessageAction::As(answer) => return self.goes_on(&bytes(&answer)).ok().flatten(),
            MessageAction::On | MessageAction::Dropped => {}
        }
        None
    }

    /// Returns why a line is refused that no middleware can read.
    pub(in crate::server::transport) fn unreadable(&self, line: &[u8]) -> Malformed {
        let wanted = WantedMembers {
            of_a_call: &[],
            whole_result: &|_| false,
        };
        match read(line, &wanted) {
            Err(malformed) => malformed,
            Ok(_) => Malformed {
                error: ErrorData::invalid_request(
                    "the message cannot be shown to the guardian of this server: it is nested too deep, or has a number \
                     that is too large",
                    None,
                ),
                id: Id::on(line),
            },
        }
    }

    /// Gives up the messages about which nobody has decided by the end of the connection.
    pub(in crate::server::transport) fn give_up_asking(&mut self) {
        let undecided = self.asking.give_up();
        tracing::warn!(
            target: "hooks_sdk::server",
            undecided,
            "messages are given up: nobody decided about them in time after the end of input"
        );
    }
}

/// Returns the answer to a request of the server that did not leave. Nothing else happens in a session of HTTP.
#[cfg(feature = "http")]
pub(in crate::server::transport) fn refused(event: Event) -> Option<Vec<u8>> {
    match event {
        Event::Refused(answer) => Some(bytes(&answer)),
        Event::Decided(_) => None,
    }
}

/// Marks a message that passed the transport where a middleware could decide about it, and about its answer.
pub(in crate::server::transport) fn seen(
    mut message: RxJsonRpcMessage<RoleServer>,
) -> RxJsonRpcMessage<RoleServer> {
    match &mut message {
        JsonRpcMessage::Request(request) => {
            request.request.extensions_mut().insert(PassedTransport);
        }
        JsonRpcMessage::Notification(told) => {
            told.notification.extensions_mut().insert(PassedTransport);
        }
        _ => {}
    }
    message
}

fn bytes(message: &JsonObject) -> Vec<u8> {
    // An object of JSON is always text.
    serde_json::to_vec(message).unwrap_or_default()
}
