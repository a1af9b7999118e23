//! What the transport of HTTP shares with the transport of streams: the mark on a request, and the connection of a session.

use std::{fmt, sync::Arc};

use rmcp::{
    RoleServer,
    model::{JsonObject, JsonRpcError, JsonRpcMessage, RequestId},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::Value;

use super::{
    message::UnreadableMessage,
    normalise,
    read::{WantedMembers, read},
};
use crate::server::{connection::Connection, methods};

#[cfg(test)]
pub(crate) use super::lift::marked;
pub(crate) use super::message_decisions::MessageFilter;
#[cfg(feature = "aos")]
pub(crate) use super::message_decisions::{
    MessageAction, MessageDirection, MessageEnvelope, PassedTransport,
};
pub(crate) use super::{
    ByTransport, Post,
    in_use::IdsInUse,
    leaves::{OnSent, Outgoing, Replacement},
    lift::{LIFT, unmarked},
    lines::without_mark,
    marks::{MARKS, remove_from_params},
    wire::in_use,
};

/// The connection of one session of HTTP. It ends when this value is dropped.
pub(crate) struct SessionConnection(Arc<Connection>);

impl SessionConnection {
    pub(crate) fn new() -> SessionConnection {
        SessionConnection(Connection::of_session())
    }

    /// Lets the middleware take their messages, and marks a request with its arrival. Returns `None` if a middleware took
    /// the message.
    pub(crate) fn arrived(
        &self,
        message: RxJsonRpcMessage<RoleServer>,
        members: &JsonObject,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let connection = &self.0;
        match &message {
            JsonRpcMessage::Response(response) => connection.clocks.told(&response.id),
            JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => connection.clocks.told(id),
            _ => {}
        }
        let mut message = connection.inbound(methods::known(message)?, members)?;
        if let JsonRpcMessage::Request(request) = &mut message {
            normalise::mark(&mut request.request, connection);
        }
        Some(message)
    }

    /// Corrects a message before it is sent. Returns what depends on the sending, or `None` if the message must not leave.
    pub(crate) fn leaves(&self, message: &mut TxJsonRpcMessage<RoleServer>) -> Option<OnSent> {
        let leaving = self.0.leaves(message)?;
        if let Some(cleaner) = self.0.cleaner() {
            cleaner.message(message);
        }
        Some(leaving)
    }

    /// Declares that this session decides about what is sent in answer to a request.
    pub(crate) fn takes(&self, post: &Post) {
        post.has_session.set();
    }

    /// Returns whether a middleware reads the answer to this request of the server as it arrived.
    pub(crate) fn settles(&self, request: &RequestId) -> bool {
        self.0.settles(request)
    }

    /// Lets the middleware end what they keep for the session.
    pub(crate) fn close(&self) {
        self.0.close();
    }

    /// Waits, after [`close`](SessionConnection::close), until the middleware have done what the client sent before.
    pub(crate) fn finished(&self) -> impl Future<Output = ()> + Send + 'static {
        self.0.finished()
    }
}

impl Drop for SessionConnection {
    fn drop(&mut self) {
        self.close();
    }
}

impl fmt::Debug for SessionConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Changes the client capabilities of a message so that rmcp's types keep them. Returns `None` if nothing changes.
pub(crate) fn normalised(message: &[u8]) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(message).ok()?;
    if !normalise::capabilities_of(&mut value) {
        return None;
    }
    serde_json::to_vec(&value).ok()
}

/// A message that rmcp cannot read.
pub(crate) enum Unreadable {
    /// A notification that MCP does not define. Nobody answers it.
    Notification,
    /// A malformed message, with the error to answer.
    Malformed(Vec<u8>),
}

/// Reads a message that rmcp cannot read as the transport of streams reads it. `id_is_due` is whether the answer has an `id`,
/// even `null`. Returns `None` if it can be read.
pub(crate) fn unreadable(message: &[u8], id_is_due: bool) -> Option<Unreadable> {
    let wanted = WantedMembers {
        of_a_call: &[],
        whole_result: &|_| false,
    };
    match read(message, &wanted) {
        Ok(Some(_)) => None,
        Ok(None) => Some(Unreadable::Notification),
        Err(malformed) => {
            tracing::debug!(
                target: "hooks_sdk::server",
                error = %malformed.error.message, "malformed message"
            );
            let refusal = UnreadableMessage::new(malformed.error, malformed.id, id_is_due);
            Some(Unreadable::Malformed(serde_json::to_vec(&refusal).ok()?))
        }
    }
}
