//! The endpoint of streamable HTTP: one path for `POST`, `GET` and `DELETE`.
//!
//! A `POST` of 2026-07-28 is served alone (`alone`). One of an older revision belongs to a session (`sessions`), which its
//! `initialize` opens. Both are read, run and answered by the transport of the server; `answer` writes JSON, or events when a
//! call takes long or speaks before its answer.

mod accept;
mod alone;
mod answer;
mod guarded;
mod headers;
mod response;
mod routing;
mod sessions;

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, request::Parts,
};
use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientRequest, ErrorCode, GetExtensions, InitializeRequestParams, JsonRpcMessage,
        JsonRpcRequest, ProtocolVersion,
    },
    service::RxJsonRpcMessage,
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use self::{
    answer::{AloneRequest, EventBody, answered},
    headers::Lifecycle,
    response::json,
};
pub(in crate::http) use self::{
    headers::Refused,
    response::{empty, unknown_session},
    routing::{Addressed, addressed_to},
    sessions::SessionMap,
};
use super::{Principal, replicas::Replicas};
use crate::server::{
    HookedService, SharedService,
    carried::{
        Exchange, Malformed, Read, ReplicaId, Session, read_alone, unreadable, without_mark,
    },
};
use hooks_core::internal::debugs;
use hooks_http::body::whole;

/// The headers of MCP. A look-up by a name takes longer by text.
pub(in crate::http) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The first revision in which an error may lack its `id`, and whose clients can read an event without data.
const NOVEMBER: &str = "2025-11-25";

/// What the endpoint needs of the server's settings.
#[derive(Clone)]
pub(in crate::http) struct EndpointSettings {
    /// The time between two comments on an open stream.
    pub(in crate::http) keep_alive: Duration,
    /// How long a call may take before its answer becomes a stream of events.
    pub(in crate::http) stream_after: Duration,
    pub(in crate::http) session_idle: Duration,
    /// Ends every session and stream.
    pub(in crate::http) end: CancellationToken,
}

/// The endpoint of a server.
pub(in crate::http) struct Endpoint {
    hooked: HookedService,
    service: SharedService,
    replica: ReplicaId,
    sessions: Arc<SessionMap>,
    /// Where the handshakes of other replicas are.
    replicas: Option<Replicas>,
    notifications: Arc<Semaphore>,
    settings: EndpointSettings,
}

impl Endpoint {
    pub(in crate::http) fn new(
        hooked: HookedService,
        replica: ReplicaId,
        replicas: Option<Replicas>,
        settings: EndpointSettings,
    ) -> Endpoint {
        let service = hooked.as_shared();
        let sessions = SessionMap::new(hooked.clone(), service.clone(), replica, &settings);
        if let Some(replicas) = &replicas {
            replicas.follow_mail(&sessions);
        }
        Endpoint {
            hooked,
            service,
            replica,
            sessions,
            replicas,
            notifications: Arc::new(Semaphore::new(alone::AT_A_TIME)),
            settings,
        }
    }

    /// Returns the sessions of this process.
    pub(in crate::http) fn sessions(&self) -> &Arc<SessionMap> {
        &self.sessions
    }

    /// Returns whether a session may come from another replica.
    pub(in crate::http) fn has_replicas(&self) -> bool {
        self.replicas.is_some()
    }

    /// Answers a request. Its body is read within the limits of the server before.
    pub(in crate::http) async fn answer(&self, request: Request<Body>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let Ok(body) = whole(body).await else {
            return response::unreadable_body();
        };
        let answered = self.pass(head, body).await;
        answered.unwrap_or_else(|refused| *refused)
    }

    async fn pass(&self, head: Parts, body: Bytes) -> Result<Response<Body>, Refused> {
        let name = head.headers.get(SESSION).map(HeaderValue::to_str);
        let name = name.transpose().map_err(|_| unknown_session())?;
        let mut asked = Asked {
            name: name.map(str::to_owned),
            handshake: None,
            head,
            body,
        };
        if let (Some(replicas), Some(name)) = (&self.replicas, &asked.name) {
            let (head, body) = (&asked.head, &asked.body);
            let principal = head.extensions.get::<Principal>();
            let passed = replicas.pass(&self.sessions, name, principal, &head.method, body);
            asked.handshake = Box::pin(passed).await?;
        }
        match asked.head.method {
            Method::POST => self.post(asked).await,
            Method::GET => Box::pin(self.get(asked)).await,
            Method::DELETE => self.delete(&asked),
            _ => Ok(response::method_not_allowed("GET, POST, DELETE")),
        }
    }

    async fn post(&self, mut asked: Asked) -> Result<Response<Body>, Refused> {
        let head = &mut asked.head;
        if !accept::accepts(&head.headers, &head.method) {
            return Err(response::not_acceptable(
                "Not Acceptable: Client must accept both application/json and text/event-stream",
            ));
        }
        let body = asked.body.slice_ref(without_mark(&asked.body));
        let body = guarded::arrives(&self.hooked, body, head).await?;
        let live = asked
            .name
            .as_deref()
            .and_then(|name| self.sessions.get(name));
        let read = match &live {
            Some(session) => session.read(&body),
            None => read_alone(&self.hooked, &body),
        };
        let read = match read {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(empty(StatusCode::ACCEPTED)),
            Err(malformed) => return Ok(unread(malformed, &asked.head.headers, &body)),
        };
        let lifecycle = headers::lifecycle(Some(&read.message), &head.headers)?;
        let is_discovery = matches!(&read.message, JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::DiscoverRequest(_)));
        let session = match (lifecycle, &asked.name) {
            (Lifecycle::Alone, _) => None,
            (Lifecycle::Session, None) if is_discovery => None,
            (Lifecycle::Session, Some(_)) => Some(match live {
                Some(session) => session,
                None => Box::pin(self.restored(&mut asked)).await?,
            }),
            (Lifecycle::Session, None) => {
                let head = asked.head;
                headers::check_standard(&head.headers, &read.message, &self.hooked)?;
                return match read.message {
                    JsonRpcMessage::Request(request) => {
                        Box::pin(self.initialize(head, request, body.len())).await
                    }
                    _ => Err(response::session_is_required()),
                };
            }
        };
        let head = asked.head;
        headers::check_standard(&head.headers, &read.message, &self.hooked)?;
        // The message is large, and lives across no `await`.
        let taken = match session {
            Some(session) => Self::in_session(head, session, read, body.len())?,
            None => self.alone(head, read, body.len())?,
        };
        match taken {
            Taken::Request {
                exchange,
                session,
                alone,
                primes,
            } => Ok(answered(exchange, session, alone, primes, &self.settings).await),
            Taken::Message(session, message) => {
                session.tell(*message).await;
                Ok(empty(StatusCode::ACCEPTED))
            }
            Taken::Whole => Ok(empty(StatusCode::ACCEPTED)),
        }
    }

    /// Takes a message of a session.
    fn in_session(
        head: Parts,
        session: Arc<Session>,
        read: Read,
        length: usize,
    ) -> Result<Taken, Refused> {
        let primes = primes(&head.headers);
        let Some(mut message) = session.arrives(read) else {
            return Ok(Taken::Whole);
        };
        match &mut message {
            JsonRpcMessage::Request(request) => {
                request.request.extensions_mut().insert(head);
            }
            JsonRpcMessage::Notification(told) => {
                told.notification.extensions_mut().insert(head);
            }
            _ => {}
        }
        let JsonRpcMessage::Request(request) = message else {
            return Ok(Taken::Message(session, Box::new(message)));
        };
        let id = request.id.clone();
        match session.takes(request, length) {
            Ok(exchange) => Ok(Taken::Request {
                exchange,
                session,
                alone: None,
                primes,
            }),
            Err(error) => Err(Box::new(response::error(StatusCode::OK, id, error))),
        }
    }

    /// Opens a session, and answers its handshake.
    async fn initialize(
        &self,
        head: Parts,
        mut request: JsonRpcRequest<ClientRequest>,
        length: usize,
    ) -> Result<Response<Body>, Refused> {
        let ClientRequest::InitializeRequest(asked) = &request.request else {
            return Err(response::session_is_required());
        };
        let params = self.replicas.as_ref().map(|_| asked.params.clone());
        let principal = head.extensions.get::<Principal>().cloned();
        let name = rmcp::transport::common::server_side_http::session_id();
        request.request.extensions_mut().insert(head);
        let opened = self.sessions.open(&name, principal.as_ref());
        let session = opened.map_err(response::internal)?;
        let exchange = session.takes(request, length).map_err(response::internal)?;
        // No revision is agreed upon yet.
        let mut response = answered(exchange, session, None, false, &self.settings).await;
        if let Ok(value) = HeaderValue::from_str(&name) {
            response.headers_mut().insert(SESSION, value);
        }
        if let (Some(replicas), Some(params)) = (&self.replicas, params) {
            let opened = replicas.opened(&self.sessions, &name, principal.as_ref(), params);
            opened.await?;
        }
        Ok(response)
    }

    /// Returns a session that another replica has opened.
    async fn restored(&self, asked: &mut Asked) -> Result<Arc<Session>, Refused> {
        let (Some(params), Some(name)) = (asked.handshake.take(), &asked.name) else {
            return Err(unknown_session());
        };
        let restored = self.sessions.restore(name, *params, &asked.head).await;
        restored.ok_or_else(unknown_session)
    }

    async fn get(&self, mut asked: Asked) -> Result<Response<Body>, Refused> {
        let head = &asked.head;
        if !accept::accepts(&head.headers, &head.method) {
            return Err(response::not_acceptable(
                "Not Acceptable: Client must accept text/event-stream",
            ));
        }
        if headers::lifecycle(None, &head.headers)? == Lifecycle::Alone {
            return Ok(response::method_not_allowed("POST"));
        }
        let name = asked
            .name
            .as_deref()
            .ok_or_else(response::session_is_required)?;
        let session = match self.sessions.get(name) {
            Some(session) => session,
            None => self.restored(&mut asked).await?,
        };
        let reader = match asked.head.headers.get(LAST_EVENT) {
            None => Some(session.listen()),
            Some(last) => answer::resumed(&session, last),
        };
        let primes = primes(&asked.head.headers);
        // After an error, a client would ask for the same stream again and again.
        Ok(match reader {
            Some(reader) => EventBody::of_session(&session, reader, primes, &self.settings),
            None => answer::ended(),
        })
    }

    fn delete(&self, asked: &Asked) -> Result<Response<Body>, Refused> {
        if headers::lifecycle(None, &asked.head.headers)? == Lifecycle::Alone {
            return Ok(response::method_not_allowed("POST"));
        }
        let name = asked
            .name
            .as_deref()
            .ok_or_else(response::session_is_required)?;
        match self.sessions.get(name) {
            Some(session) => session.end(),
            // It may live at another replica, which has heard of its end.
            None if self.replicas.is_some() => {}
            None => return Err(unknown_session()),
        }
        // The official clients take no other status for the end of a session.
        Ok(empty(StatusCode::NO_CONTENT))
    }
}

/// Returns whether the streams of a client begin with an event that has an id and no data. Clients of older revisions read the
/// data of each event as JSON.
fn primes(headers: &HeaderMap) -> bool {
    headers::version(headers).is_some_and(|version| version >= NOVEMBER)
}

/// Answers a message that cannot be read.
fn unread(mut malformed: Malformed, headers: &HeaderMap, body: &[u8]) -> Response<Body> {
    let version = headers::version(headers);
    let id_is_due = version.is_none_or(|version| version < NOVEMBER);
    let newest = ProtocolVersion::V_2026_07_28;
    // This method was removed, so its params have no form.
    let is_removed = version.is_some_and(|version| version >= newest.as_str())
        && routing::method_of(body).is_some_and(|method| method == "initialize");
    let mut status = StatusCode::BAD_REQUEST;
    if is_removed {
        malformed.error = ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "initialize", None);
        status = StatusCode::NOT_FOUND;
    }
    json(status, unreadable(malformed, id_is_due))
}

/// A message that is read, and belongs to its session.
enum Taken {
    /// A request, which runs now.
    Request {
        exchange: Exchange,
        session: Arc<Session>,
        alone: Option<AloneRequest>,
        /// Whether a stream of events begins with an event without data.
        primes: bool,
    },
    /// A message for rmcp's loop.
    Message(Arc<Session>, Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing of it is left to do.
    Whole,
}

/// A request to the endpoint.
struct Asked {
    head: Parts,
    body: Bytes,
    /// The session that it names.
    name: Option<String>,
    /// The handshake of that session, if it was read from the store.
    handshake: Option<Box<InitializeRequestParams>>,
}

debugs!(Endpoint {});
