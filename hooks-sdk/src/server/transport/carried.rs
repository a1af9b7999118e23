//! What the door of HTTP shares with the door of streams: the mark on a request, and the connection of a session.

use std::{fmt, sync::Arc};

use rmcp::{
    RoleServer,
    model::{JsonObject, JsonRpcError, JsonRpcMessage, RequestId, ServerNotification},
    service::{RxJsonRpcMessage, TxJsonRpcMessage},
};
use serde_json::Value;

use super::{
    normalise,
    read::{Wanted, read},
    transport::Refusal,
};
use crate::server::{connection::Connection, methods, way::Leaving};

#[cfg(test)]
pub(crate) use super::lift::marked;
pub(crate) use super::{
    ByDoor,
    in_use::IdsInUse,
    lift::{LIFT, unmarked},
    lines::without_mark,
    marks::{MARKS, TASKS, remove_marks, withhold_task},
    transport::in_use,
};
pub(crate) use crate::server::way::{Decider, Envelope, Passing, Seen, Toward};

/// The connection of one session of HTTP. It ends when this value is dropped.
pub(crate) struct SessionConnection(Arc<Connection>);

impl SessionConnection {
    pub(crate) fn new() -> SessionConnection {
        SessionConnection(Connection::of_session())
    }

    /// Lets the stations take their messages, and marks a request with its arrival. Returns `None` if a station took
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
        let mut stations = connection.listeners().iter();
        let message = methods::known(message)?;
        let mut message = stations.try_fold(message, |message, station| {
            station.inbound(message, members, connection)
        })?;
        normalise::mark(&mut message, connection);
        Some(message)
    }

    /// Returns whether a message may be sent.
    pub(crate) fn may_leave(&self, message: &TxJsonRpcMessage<RoleServer>) -> bool {
        self.0.may_leave(message)
    }

    /// Lets the stations correct a message before it is sent. Returns what depends on the sending.
    pub(crate) fn leaves(&self, message: &mut TxJsonRpcMessage<RoleServer>) -> OnSent {
        if let JsonRpcMessage::Notification(notification) = &*message
            && let ServerNotification::ProgressNotification(progress) = &notification.notification
        {
            self.0.progressed(&progress.params.progress_token);
        }
        self.0.clocks.sends(message);
        let mut stations = Vec::new();
        for station in self.0.listeners() {
            stations.extend(station.outbound(message, &self.0));
        }
        OnSent(stations)
    }

    /// Returns whether a station reads the answer to this request of the server as it arrived.
    pub(crate) fn settles(&self, request: &RequestId) -> bool {
        let mut stations = self.0.listeners().iter();
        stations.any(|station| station.settles(request, &self.0))
    }

    /// Lets the stations end what they keep for the session.
    pub(crate) fn close(&self) {
        self.0.close();
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

/// The actions of the stations around the sending of a message.
pub(crate) struct OnSent(Vec<Box<dyn Leaving>>);

impl OnSent {
    /// Call this when the message is about to be sent.
    pub(crate) fn begins(&self) {
        self.0.iter().for_each(|station| station.begins());
    }

    /// Call this when the message is sent.
    pub(crate) fn ended(self) {
        self.0.into_iter().for_each(|station| station.ended());
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

/// Reads a message that rmcp cannot read as the door of streams reads it. `id_is_due` is whether the answer has an `id`,
/// even `null`. Returns `None` if it can be read.
pub(crate) fn unreadable(message: &[u8], id_is_due: bool) -> Option<Unreadable> {
    let wanted = Wanted {
        of_a_call: &[],
        whole_result: &|_| false,
    };
    match read(message, &wanted) {
        Ok(Some(_)) => None,
        Ok(None) => Some(Unreadable::Notification),
        Err(malformed) => {
            tracing::debug!(error = %malformed.error.message, "malformed message");
            let refusal = Refusal::new(malformed.error, malformed.id, id_is_due);
            Some(Unreadable::Malformed(serde_json::to_vec(&refusal).ok()?))
        }
    }
}
