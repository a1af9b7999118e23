//! What the transport does when a station has decided about a message.

use rmcp::{
    ErrorData, RoleServer,
    model::{GetExtensions, JsonObject, JsonRpcMessage},
    service::RxJsonRpcMessage,
};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{
    WireTransport,
    asking::{Decided, Event},
    message::{Id, Malformed},
    read::{Wanted, read},
};
use crate::server::way::{Envelope, Passing, Seen, Toward};

impl<R, W> WireTransport<R, W>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Returns the message that goes on. Returns `None` if it is held back, answered or dropped.
    pub(super) fn happened(&mut self, event: Event) -> Option<RxJsonRpcMessage<RoleServer>> {
        let Decided {
            message,
            passing,
            place: _place,
            ..
        } = match event {
            Event::Decided(decided) => decided,
            Event::Refused(answer) => return self.goes_on(&bytes(&answer)).ok().flatten(),
        };
        let changed = match passing {
            Passing::On => {
                return self.goes_on(&message).unwrap_or_else(|malformed| {
                    self.refuse(malformed.error, malformed.id);
                    None
                });
            }
            Passing::As(changed) => changed,
            Passing::Answered(answer) => {
                self.answer(bytes(&answer));
                return None;
            }
            Passing::Dropped => return None,
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

    /// Stops a message because what a station made of it cannot be read.
    fn unusable(
        &mut self,
        changed: &JsonObject,
        error: &ErrorData,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let text = format!(
            "the guardian of this server changed the message, and the change cannot be used: {}",
            error.message
        );
        tracing::warn!("{text}");
        match Envelope::of(changed).refused(Toward::Server, &text, None) {
            Passing::Answered(answer) => self.answer(bytes(&answer)),
            Passing::As(answer) => return self.goes_on(&bytes(&answer)).ok().flatten(),
            Passing::On | Passing::Dropped => {}
        }
        None
    }

    /// Returns why a line is refused that no station can read.
    pub(super) fn unreadable(&self, line: &[u8]) -> Malformed {
        let wanted = Wanted {
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
    pub(super) fn give_up_asking(&mut self) {
        let undecided = self.asking.give_up();
        tracing::warn!(
            undecided,
            "messages are given up: nobody decided about them in time after the end of input"
        );
    }
}

/// Marks a message that passed the door where a station could decide about it, and about its answer.
pub(super) fn seen(mut message: RxJsonRpcMessage<RoleServer>) -> RxJsonRpcMessage<RoleServer> {
    match &mut message {
        JsonRpcMessage::Request(request) => {
            request.request.extensions_mut().insert(Seen);
        }
        JsonRpcMessage::Notification(told) => {
            told.notification.extensions_mut().insert(Seen);
        }
        _ => {}
    }
    message
}

fn bytes(message: &JsonObject) -> Vec<u8> {
    // An object of JSON is always text.
    serde_json::to_vec(message).unwrap_or_default()
}
