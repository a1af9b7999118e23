//! Sessions of clients before 2026-07-28: rmcp's own, with the transport in each session's transport.

use std::{
    collections::HashMap,
    future::ready,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use rmcp::{
    model::{
        ClientJsonRpcMessage, ClientNotification, GetExtensions, JsonRpcMessage,
        ServerJsonRpcMessage,
    },
    transport::streamable_http_server::session::{
        RestoreOutcome, ServerSseMessage, SessionId, SessionManager as RmcpSessions,
        local::{LocalSessionManager, LocalSessionManagerError},
    },
};

use super::{ReplicaId, body::prepared, filtering, session_transport::SessionTransport};
use crate::server::carried::{IdsInUse, MessageFilter, in_use};
use hooks_core::internal::{debugs, lock};

/// The sessions of this process.
pub(in crate::http) struct SessionManager {
    replica: ReplicaId,
    sessions: LocalSessionManager,
    /// Whether sessions are in a store, so that one may come from another replica.
    is_stored: bool,
    strays: Arc<Strays>,
    /// The middleware that decides about messages, if it decides about those of clients.
    decider: Option<MessageFilter>,
    in_use: UsedIds,
}

/// The ids in use in each session that lives here.
type UsedIds = Arc<Mutex<HashMap<SessionId, IdsInUse>>>;

/// The ids in use in one session. They are forgotten when this value is dropped.
#[derive(Debug)]
pub(super) struct SessionIds {
    pub(super) ids: IdsInUse,
    session: SessionId,
    among: UsedIds,
}

impl Drop for SessionIds {
    fn drop(&mut self) {
        lock(&self.among).remove(&self.session);
    }
}

/// Counts the answers and reports of clients that belong to no open request.
#[derive(Debug, Default)]
pub(super) struct Strays(AtomicU64);

impl Strays {
    /// Counts a message that is dropped.
    pub(super) fn count(&self, kind: &str) {
        let dropped = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        // A client may send any number of them, and the log must not grow as fast.
        if dropped.is_power_of_two() {
            tracing::warn!(
                target: "hooks_sdk::http",
                kind,
                dropped,
                "messages are dropped: they belong to no open request of their session"
            );
        }
    }
}

impl SessionManager {
    /// Creates a manager without sessions. If sessions are in a store, one may come from another replica.
    pub(in crate::http) fn new(replica: ReplicaId, is_stored: bool) -> SessionManager {
        SessionManager {
            replica,
            sessions: LocalSessionManager::default(),
            is_stored,
            strays: Arc::default(),
            decider: None,
            in_use: Arc::default(),
        }
    }

    /// Lets a middleware decide about messages that another replica received.
    pub(in crate::http) fn decided_by(mut self, decider: Option<MessageFilter>) -> SessionManager {
        self.decider = decider.filter(MessageFilter::decides_inbound);
        self
    }

    fn ids(&self, session: &SessionId) -> SessionIds {
        let ids = IdsInUse::default();
        lock(&self.in_use).insert(session.clone(), ids.clone());
        SessionIds {
            ids,
            session: session.clone(),
            among: self.in_use.clone(),
        }
    }

    fn ids_of(&self, session: &SessionId) -> Option<IdsInUse> {
        lock(&self.in_use).get(session).cloned()
    }

    /// Removes the ids of events if sessions are in a store: rmcp's ids mean nothing at another replica.
    fn events<E: Stream<Item = ServerSseMessage>>(
        &self,
        events: E,
    ) -> impl Stream<Item = ServerSseMessage> + use<E> {
        let is_stored = self.is_stored;
        events.map(move |mut event| {
            event.event_id.take_if(|_| is_stored);
            event
        })
    }

    /// Decides about a message that another replica received. Returns `None` if the message does not go on.
    pub(in crate::http) async fn decided(&self, session: &str, body: Bytes) -> Option<Bytes> {
        let Some(decider) = &self.decider else {
            return Some(body);
        };
        filtering::forwarded(decider, session, body).await
    }

    /// Sets how long a session may be idle, before it ends.
    pub(in crate::http) fn idle(mut self, longest: Duration) -> SessionManager {
        self.sessions.session_config.keep_alive = Some(longest);
        self
    }

    /// Returns whether a session does not live here and may come from another replica.
    pub(in crate::http) async fn may_come(&self, session: &str) -> bool {
        let sessions = self.sessions.sessions.read().await;
        self.is_stored && !sessions.contains_key(session)
    }

    /// Returns whether a session lives here, or may live at another replica.
    pub(in crate::http) async fn may_be_known(&self, session: &str) -> bool {
        let sessions = self.sessions.sessions.read().await;
        self.is_stored || sessions.contains_key(session)
    }

    /// Returns the number of live sessions of this process.
    pub(in crate::http) async fn count(&self) -> usize {
        self.sessions.sessions.read().await.len()
    }

    /// Hands the client's answer, cancellation or report of progress to a session of this process, as if it were posted
    /// here. Pass what [`decided`](SessionManager::decided) returned. Returns whether the session took it.
    pub(in crate::http) async fn deliver(&self, session: &str, body: Bytes) -> bool {
        let (body, _) = prepared(body, Arc::default);
        let mut message = match serde_json::from_slice::<ClientJsonRpcMessage>(&body) {
            Ok(message) if is_deliverable(&message) => message,
            _ => {
                tracing::warn!(
                    target: "hooks_sdk::http",
                    "a forwarded message is dropped: it is no answer, cancellation or progress"
                );
                return false;
            }
        };
        if let JsonRpcMessage::Notification(told) = &mut message
            && let Some(decider) = &self.decider
        {
            filtering::mark(decider, told.notification.extensions_mut());
        }
        let session = SessionId::from(session);
        self.accept_message(&session, message).await.is_ok()
    }
}

fn is_deliverable(message: &ClientJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => true,
        JsonRpcMessage::Notification(notification) => matches!(
            notification.notification,
            ClientNotification::CancelledNotification(_)
                | ClientNotification::ProgressNotification(_)
        ),
        JsonRpcMessage::Request(_) => false,
    }
}

impl RmcpSessions for SessionManager {
    type Error = LocalSessionManagerError;
    type Transport = SessionTransport;

    async fn create_session(&self) -> Result<(SessionId, SessionTransport), Self::Error> {
        let (id, transport) = self.sessions.create_session().await?;
        let ids = self.ids(&id);
        let strays = self.strays.clone();
        Ok((
            id,
            SessionTransport::new(transport, self.replica, strays, ids),
        ))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.sessions.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.sessions.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.sessions.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let mut taken = None;
        if let JsonRpcMessage::Request(request) = &mut message
            && let Some(ids) = self.ids_of(id)
        {
            let Some(mark) = ids.take(&request.id) else {
                tracing::warn!(
                    target: "hooks_sdk::http",
                    id = %request.id, "a request is refused: its id is in use"
                );
                let error = JsonRpcMessage::error(in_use(), Some(request.id.clone()));
                let refusal = ServerSseMessage::from_message(error);
                return Ok(stream::once(ready(refusal)).left_stream());
            };
            request.request.extensions_mut().insert(mark);
            taken = Some((ids, request.id.clone()));
        }
        let created = self.sessions.create_stream(id, message).await;
        if let (Err(_), Some((ids, request))) = (&created, taken) {
            // Nobody answers it.
            ids.answered(&request);
        }
        Ok(self.events(created?).right_stream())
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        if let JsonRpcMessage::Notification(told) = &message
            && let ClientNotification::CancelledNotification(cancelled) = &told.notification
            && let (Some(ids), Some(request)) = (self.ids_of(id), &cancelled.params.request_id)
        {
            ids.cancelled(request);
        }
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let created = self.sessions.create_standalone_stream(id).await?;
        Ok(self.events(created))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.sessions.resume(id, last_event_id).await
    }

    async fn restore_session(
        &self,
        id: SessionId,
    ) -> Result<RestoreOutcome<SessionTransport>, Self::Error> {
        Ok(match self.sessions.restore_session(id.clone()).await? {
            RestoreOutcome::Restored(transport) => RestoreOutcome::Restored(SessionTransport::new(
                transport,
                self.replica,
                self.strays.clone(),
                self.ids(&id),
            )),
            RestoreOutcome::AlreadyPresent => RestoreOutcome::AlreadyPresent,
            _ => RestoreOutcome::NotSupported,
        })
    }
}

debugs!(SessionManager { strays });
