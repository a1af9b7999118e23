//! The sessions of this process.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, Weak},
    time::Duration,
};

use bytes::Bytes;
use futures::{
    FutureExt,
    future::{BoxFuture, Shared, poll_fn},
};
use http::{HeaderMap, Method, StatusCode, request::Parts};
use rmcp::{
    ErrorData,
    model::{
        ClientNotification, ClientRequest, InitializeRequest, InitializeRequestParams,
        InitializedNotification, JsonRpcMessage, NumberOrString,
    },
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{Handshake, Refused, addressed_to, guarded, unknown_session};
use crate::{
    http::{Principal, TransportSettings},
    server::{
        HookedService, RestoredHandshake, SharedService,
        carried::{EventKind, ReplicaId, Session, SessionTransport},
    },
};
use hooks_core::internal::{debugs, lock};
use hooks_http::refusal::HttpRefusal;

/// How long a session waits for its handshake to be replayed.
const RESTORE: Duration = Duration::from_secs(30);

/// The sessions of this process, by their ids.
pub(in crate::http) struct SessionMap {
    pub(in crate::http) hooked: HookedService,
    service: SharedService,
    /// Names this process in the ids of its questions to clients, and in its letters to other replicas.
    pub(in crate::http) replica: ReplicaId,
    by_id: Mutex<HashMap<Arc<str>, LiveSession>>,
    /// One for each session that there may be.
    places: Arc<Semaphore>,
    /// The sessions that are being restored. Requests of one session wait for the same handshake.
    restores: Mutex<HashMap<Arc<str>, Restore>>,
    end: CancellationToken,
}

/// A session of this process.
struct LiveSession {
    session: Arc<Session>,
    /// Who opened it, without the claims of that request's token.
    owner: Option<Principal>,
    /// When its entry in the store of the replicas was last read.
    checked: Instant,
}

type Restore = Shared<BoxFuture<'static, Option<Arc<Session>>>>;

impl SessionMap {
    /// Creates the map, and ends the sessions that are idle for too long. `end` ends all of them.
    pub(super) fn new(
        hooked: HookedService,
        settings: &TransportSettings,
        end: CancellationToken,
    ) -> Arc<SessionMap> {
        let sessions = Arc::new(SessionMap {
            service: hooked.as_shared(),
            hooked,
            replica: ReplicaId::random(),
            by_id: Mutex::default(),
            places: Arc::new(Semaphore::new(settings.max_sessions)),
            restores: Mutex::default(),
            end: end.clone(),
        });
        let sweeping = sweep(Arc::downgrade(&sessions), settings.session_idle);
        tokio::spawn(end.run_until_cancelled_owned(sweeping));
        sessions
    }

    pub(in crate::http) fn get(&self, id: &str) -> Option<Arc<Session>> {
        let by_id = lock(&self.by_id);
        let session = &by_id.get(id)?.session;
        (!session.has_ended()).then(|| session.clone())
    }

    /// Returns whether a live session is this principal's, and when its entry in the store was last read.
    pub(in crate::http) fn owned(
        &self,
        id: &str,
        principal: Option<&Principal>,
    ) -> Option<(bool, Instant)> {
        let by_id = lock(&self.by_id);
        let live = by_id.get(id).filter(|live| !live.session.has_ended())?;
        Some((live.owner.as_ref() == principal, live.checked))
    }

    /// Records that the entry of a session is read now.
    pub(in crate::http) fn set_checked(&self, id: &str) {
        if let Some(live) = lock(&self.by_id).get_mut(id) {
            live.checked = Instant::now();
        }
    }

    /// Returns whether a session lives in this process.
    pub(in crate::http) fn is_live(&self, id: &str) -> bool {
        self.get(id).is_some()
    }

    pub(in crate::http) fn count(&self) -> usize {
        lock(&self.by_id).len()
    }

    /// Ends a session, if it lives here.
    pub(in crate::http) fn close(&self, id: &str) {
        if let Some(session) = self.get(id) {
            session.end();
        }
    }

    /// Makes a session, and the transport that rmcp's loop serves. `lasts` is whether it has more than one message.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings do not fit the server.
    pub(super) fn session(
        &self,
        lasts: bool,
    ) -> Result<(Arc<Session>, SessionTransport), ErrorData> {
        let end = self.end.child_token();
        Session::new(&self.hooked, self.service.clone(), self.replica, lasts, end)
    }

    /// Takes the place of a session, for a request of this method.
    ///
    /// # Errors
    ///
    /// Returns the response if there are as many sessions as there may be.
    pub(super) fn place(&self, method: &Method) -> Result<OwnedSemaphorePermit, Refused> {
        let place = self.places.clone().try_acquire_owned();
        place.map_err(|_| {
            tracing::debug!(target: "hooks_sdk::http", "a session was refused: there are too many");
            let sentence = "the server has as many sessions as it can: try again; its operator sets the number with `Server::max_sessions`";
            let refusal = HttpRefusal::new(StatusCode::SERVICE_UNAVAILABLE, sentence);
            Box::new(refusal.response(method))
        })
    }

    /// Opens a session. It ends when rmcp's loop ends, and gives its place back.
    ///
    /// # Errors
    ///
    /// Returns an error if the settings do not fit the server.
    pub(super) fn open(
        self: &Arc<SessionMap>,
        id: &str,
        principal: Option<&Principal>,
        place: OwnedSemaphorePermit,
    ) -> Result<Arc<Session>, ErrorData> {
        let (session, transport) = self.session(true)?;
        let id = Arc::<str>::from(id);
        let live = LiveSession {
            session: session.clone(),
            owner: principal.map(Principal::without_claims),
            checked: Instant::now(),
        };
        lock(&self.by_id).insert(id.clone(), live);
        let (sessions, hooked, opened) = (self.clone(), self.hooked.clone(), session.clone());
        tokio::spawn(async move {
            match hooked.serve(transport).await {
                Ok(running) => _ = running.waiting().await,
                Err(error) => {
                    tracing::debug!(target: "hooks_sdk::http", %error, "a session had no handshake");
                }
            }
            opened.end();
            let mut by_id = lock(&sessions.by_id);
            if by_id
                .get(&id)
                .is_some_and(|live| Arc::ptr_eq(&live.session, &opened))
            {
                by_id.remove(&id);
            }
            drop(place);
        });
        Ok(session)
    }

    /// Returns a session. Restores one that another replica has opened: replays its handshake. `head` is of the request that needs
    /// it.
    ///
    /// # Errors
    ///
    /// Returns the response if there is no such session, or no place for it.
    pub(super) async fn find(
        self: &Arc<SessionMap>,
        id: &str,
        handshake: Handshake,
        head: &Parts,
    ) -> Result<Arc<Session>, Refused> {
        let restore = {
            let mut restores = lock(&self.restores);
            if let Some(session) = self.get(id) {
                return Ok(session);
            }
            let params = handshake.ok_or_else(unknown_session)?;
            if let Some(restore) = restores.get(id) {
                restore.clone()
            } else {
                let place = self.place(&head.method)?;
                let id = Arc::<str>::from(id);
                let (sessions, own, head) = (self.clone(), id.clone(), head.clone());
                let restoring = async move {
                    let session = sessions.replay(&own, *params, head, place).await;
                    lock(&sessions.restores).remove(&own);
                    session
                };
                // Its task ends, whatever becomes of the request that waits first.
                let task = tokio::spawn(restoring);
                let restore = async move { task.await.ok().flatten() }.boxed().shared();
                restores.insert(id, restore.clone());
                restore
            }
        };
        restore.await.ok_or_else(unknown_session)
    }

    async fn replay(
        self: &Arc<SessionMap>,
        id: &str,
        params: InitializeRequestParams,
        head: Parts,
        place: OwnedSemaphorePermit,
    ) -> Option<Arc<Session>> {
        let session = self.open(id, head.extensions.get(), place).ok()?;
        let mut initialize = InitializeRequest::new(params);
        initialize.extensions.insert(RestoredHandshake);
        initialize.extensions.insert(head.clone());
        let initialize = ClientRequest::InitializeRequest(initialize);
        let request = JsonRpcMessage::request(initialize, NumberOrString::Number(0));
        let JsonRpcMessage::Request(request) = session.marked(request) else {
            return None;
        };
        let mut exchange = session.takes(request, 0, None).ok()?;
        let answered = async {
            exchange.work.await;
            poll_fn(|cx| exchange.reader.poll_next(cx)).await
        };
        let answer = tokio::time::timeout(RESTORE, answered).await.ok().flatten();
        if answer.is_none_or(|(_, event)| event.kind != EventKind::Answer(None)) {
            tracing::warn!(target: "hooks_sdk::http", "a session could not be restored");
            session.end();
            return None;
        }
        let mut initialized = InitializedNotification::default();
        initialized.extensions.insert(RestoredHandshake);
        initialized.extensions.insert(head);
        let initialized = ClientNotification::InitializedNotification(initialized);
        let initialized = JsonRpcMessage::notification(initialized);
        session.tell(session.marked(initialized)).await;
        Some(session)
    }

    /// Hands the client's answer, cancellation or report of progress, which another replica received, to a session of this
    /// process. Returns whether the session took it.
    pub(in crate::http) async fn deliver(&self, id: &str, body: Bytes) -> bool {
        let Some(session) = self.get(id) else {
            return false;
        };
        // The replica that received the message has not shown it to the guardian.
        let mut headers = HeaderMap::new();
        let decided = guarded::arrives(&self.hooked, body, id, &mut headers).await;
        let Ok(body) = decided else {
            tracing::warn!(
                target: "hooks_sdk::http",
                "a forwarded message is dropped: the guardian stopped it, or cannot read it"
            );
            return true;
        };
        match session.read(&body) {
            Ok(Some(read)) if addressed_to(&body).is_for_a_running_call() => {
                if let Some(message) = session.arrives(read) {
                    session.tell(message).await;
                }
                true
            }
            _ => {
                tracing::warn!(
                    target: "hooks_sdk::http",
                    "a forwarded message is dropped: it is no answer, cancellation or progress"
                );
                false
            }
        }
    }
}

/// Ends the sessions without a message for this time.
async fn sweep(sessions: Weak<SessionMap>, idle: Duration) {
    let pause = (idle / 8).clamp(Duration::from_millis(20), Duration::from_secs(10));
    loop {
        sleep(pause).await;
        let Some(sessions) = sessions.upgrade() else {
            return;
        };
        let by_id = lock(&sessions.by_id);
        for LiveSession { session, .. } in by_id.values() {
            if session.last_used().elapsed() >= idle {
                session.end();
            }
        }
    }
}

debugs!(SessionMap {});
