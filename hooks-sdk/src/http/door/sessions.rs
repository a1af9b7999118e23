//! Sessions of clients before 2026-07-28: rmcp's own, with the door in each session's transport.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use futures::{Stream, StreamExt};
use rmcp::{
    model::{ClientJsonRpcMessage, ClientNotification, JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        EventStore, RestoreOutcome, ServerSseMessage, SessionId, SessionManager as RmcpSessions,
        local::{LocalSessionManager, LocalSessionManagerError},
    },
};

use super::{ReplicaId, body::prepared, transport::SessionTransport};
use crate::http::replicas::Replicas;

/// The sessions of this process.
pub(in crate::http) struct SessionManager {
    replica: ReplicaId,
    sessions: LocalSessionManager,
    replicas: Option<Replicas>,
    event_store: Option<Arc<dyn EventStore>>,
    strays: Arc<Strays>,
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
                kind,
                dropped,
                "messages are dropped: they belong to no open request of their session"
            );
        }
    }
}

impl SessionManager {
    /// Creates a manager without sessions. With `replicas`, what this replica says in a session is heard at all of them.
    /// Clients may resume requests without a session only if `resumable`.
    pub(in crate::http) fn new(
        replica: ReplicaId,
        replicas: Option<Replicas>,
        resumable: bool,
    ) -> SessionManager {
        let sessions = LocalSessionManager::default();
        let event_store = replicas.as_ref().map(Replicas::event_store);
        SessionManager {
            replica,
            sessions: match &event_store {
                Some(event_store) => sessions.with_event_store(event_store.clone()),
                None => sessions,
            },
            replicas,
            event_store: event_store.filter(|_| resumable),
            strays: Arc::default(),
        }
    }

    /// Sets how long a session may be idle, before it ends.
    pub(in crate::http) fn idle(mut self, longest: Duration) -> SessionManager {
        self.sessions.session_config.keep_alive = Some(longest);
        self
    }

    /// Returns whether a session does not live here and may come from another replica.
    pub(in crate::http) async fn may_come(&self, session: &str) -> bool {
        let sessions = self.sessions.sessions.read().await;
        self.replicas.is_some() && !sessions.contains_key(session)
    }

    /// Returns the number of live sessions of this process.
    pub(in crate::http) async fn count(&self) -> usize {
        self.sessions.sessions.read().await.len()
    }

    /// Hands the client's answer, cancellation or report of progress to a session of this process, as if it were posted
    /// here. Returns whether the session took it.
    pub(in crate::http) async fn deliver(&self, session: &str, body: Bytes) -> bool {
        let (body, _) = prepared(body, Arc::default);
        let message = match serde_json::from_slice::<ClientJsonRpcMessage>(&body) {
            Ok(message) if is_deliverable(&message) => message,
            _ => {
                tracing::warn!(
                    "a forwarded message is dropped: it is no answer, cancellation or progress"
                );
                return false;
            }
        };
        let session = SessionId::from(session);
        self.sessions
            .accept_message(&session, message)
            .await
            .is_ok()
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
        Ok((
            id,
            SessionTransport::new(transport, self.replica, self.strays.clone()),
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
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.sessions.create_stream(id, message).await
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        match &self.replicas {
            // Any replica may speak in the session.
            Some(replicas) => Ok(replicas.listen(id).left_stream()),
            None => {
                let stream = self.sessions.create_standalone_stream(id).await?;
                Ok(stream.right_stream())
            }
        }
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
        Ok(match self.sessions.restore_session(id).await? {
            RestoreOutcome::Restored(transport) => RestoreOutcome::Restored(SessionTransport::new(
                transport,
                self.replica,
                self.strays.clone(),
            )),
            RestoreOutcome::AlreadyPresent => RestoreOutcome::AlreadyPresent,
            _ => RestoreOutcome::NotSupported,
        })
    }

    fn event_store(&self) -> Option<Arc<dyn EventStore>> {
        self.event_store.clone()
    }
}

impl fmt::Debug for SessionManager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionManager")
            .field("strays", &self.strays)
            .finish_non_exhaustive()
    }
}
