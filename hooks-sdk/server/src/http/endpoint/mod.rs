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

use std::sync::Arc;

use axum::{body::Body, response::IntoResponse};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, request::Parts,
};
use rmcp::{
    ErrorData,
    model::{
        ClientJsonRpcMessage, ClientRequest, ErrorCode, GetExtensions, InitializeRequestParams,
        JsonRpcMessage, JsonRpcRequest, ProtocolVersion,
    },
};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use self::{
    answer::{AloneRequest, EventBody, answered},
    headers::Lifecycle,
    response::{internal, json, json_error, method_not_allowed, session_is_required},
};
pub(in crate::http) use self::{
    response::{Refused, unknown_session},
    routing::{Addressed, addressed_to},
    sessions::SessionMap,
};
use super::{Principal, TransportSettings, replicas::Replicas};
use crate::server::{
    HookedService,
    carried::{Exchange, Malformed, Read, Session, read_alone, unreadable, without_mark},
    method_of,
};
use hooks_core::{internal::debugs, store::Store};

/// The headers of MCP. A look-up by a name takes longer by text.
const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

/// The first revision in which an error may lack its `id`, and whose clients can read an event without data.
const NOVEMBER: &str = "2025-11-25";

/// The endpoint of a server.
pub(in crate::http) struct Endpoint {
    /// The sessions of this process.
    pub(in crate::http) sessions: Arc<SessionMap>,
    /// Where the handshakes of other replicas are.
    replicas: Option<Arc<Replicas>>,
    notifications: Arc<Semaphore>,
    settings: Arc<TransportSettings>,
}

impl Endpoint {
    /// Makes the endpoint of a server. With a store, it looks there for the sessions of other replicas. `end` ends this, and every
    /// session and stream.
    pub(in crate::http) fn new(
        hooked: HookedService,
        shared: Option<Arc<dyn Store>>,
        settings: Arc<TransportSettings>,
        end: CancellationToken,
    ) -> Endpoint {
        let sessions = SessionMap::new(hooked, &settings, end.clone());
        Endpoint {
            replicas: shared.map(|store| Replicas::new(store, sessions.clone(), &end)),
            sessions,
            notifications: Arc::new(Semaphore::new(alone::AT_A_TIME)),
            settings,
        }
    }

    /// Answers a request. Its body was read within the limits of the server.
    pub(in crate::http) async fn answer(&self, request: Request<Bytes>) -> Response<Body> {
        let (head, body) = request.into_parts();
        let answered = self.pass(head, body).await;
        answered.unwrap_or_else(|refused| *refused)
    }

    async fn pass(&self, head: Parts, body: Bytes) -> Result<Response<Body>, Refused> {
        let session = head.headers.get(SESSION).cloned();
        let name = session.as_ref().map(HeaderValue::to_str);
        let name = name.transpose().map_err(|_| unknown_session())?;
        let handshake = match (&self.replicas, name) {
            (Some(replicas), Some(name)) => {
                Box::pin(replicas.admit(name, head.extensions.get())).await?
            }
            _ => None,
        };
        match head.method {
            Method::POST => self.post(head, body, name, handshake).await,
            Method::GET | Method::DELETE => {
                if headers::lifecycle(None, &head.headers)?.0 == Lifecycle::Alone {
                    return Ok(method_not_allowed("POST"));
                }
                let name = name.ok_or_else(session_is_required)?;
                match head.method {
                    Method::GET => Box::pin(self.get(head, name, handshake)).await,
                    _ => Box::pin(self.delete(name)).await,
                }
            }
            _ => Ok(method_not_allowed("GET, POST, DELETE")),
        }
    }

    async fn post(
        &self,
        mut head: Parts,
        body: Bytes,
        name: Option<&str>,
        handshake: Handshake,
    ) -> Result<Response<Body>, Refused> {
        accept::check(&head.headers, &head.method)?;
        let body = body.slice_ref(without_mark(&body));
        if let (Some(replicas), Some(name)) = (&self.replicas, name) {
            // The replica that waits shows it to the guardian.
            Box::pin(replicas.forward(name, &body)).await?;
        }
        let (hooked, session) = (&self.sessions.hooked, name.unwrap_or_default());
        let body = guarded::arrives(hooked, body, session, &mut head.headers).await?;
        let live = name.and_then(|name| self.sessions.get(name));
        let read = match &live {
            Some(session) => session.read(&body),
            None => read_alone(&self.sessions.hooked, &body),
        };
        let read = match read {
            Ok(Some(read)) => read,
            Ok(None) => return Ok(StatusCode::ACCEPTED.into_response()),
            Err(malformed) => return Ok(unread(malformed, &head.headers, &body)),
        };
        let (lifecycle, lacks_meta) = headers::lifecycle(Some(&read.message), &head.headers)?;
        headers::check_standard(&head.headers, &read.message, &body, hooked)?;
        let is_discovery = matches!(&read.message, JsonRpcMessage::Request(request)
            if matches!(request.request, ClientRequest::DiscoverRequest(_)));
        let session = match (lifecycle, name) {
            (Lifecycle::Alone, _) => None,
            (Lifecycle::Session, None) if is_discovery => None,
            (Lifecycle::Session, Some(name)) => Some(match live {
                Some(session) => session,
                None => Box::pin(self.sessions.find(name, handshake, &head)).await?,
            }),
            (Lifecycle::Session, None) => {
                return match read.message {
                    JsonRpcMessage::Request(request) => {
                        Box::pin(self.initialize(head, request, body.len())).await
                    }
                    _ => Err(session_is_required()),
                };
            }
        };
        let primes = session.is_some() && primes(&head.headers);
        // The message is large, and lives across no `await`.
        match self.take(head, session, read, body.len(), lacks_meta)? {
            Taken::Request(exchange, session, alone) => {
                return Ok(answered(exchange, session, alone, primes, &self.settings).await);
            }
            Taken::Message(session, message) => session.tell(*message).await,
            Taken::Whole => {}
        }
        Ok(StatusCode::ACCEPTED.into_response())
    }

    /// Takes a message. Without a session, it is served alone.
    fn take(
        &self,
        head: Parts,
        session: Option<Arc<Session>>,
        read: Read,
        length: usize,
        lacks_meta: bool,
    ) -> Result<Taken, Refused> {
        let (session, peer) = match session {
            Some(session) => (session, None),
            None => {
                let (session, peer) = self.alone(&read.message, &head.headers)?;
                (session, Some(peer))
            }
        };
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
        match (message, peer) {
            (JsonRpcMessage::Request(request), peer) => {
                let id = request.id.clone();
                let is_alone = peer.is_some();
                let exchange = session.takes(request, length, peer);
                let refused = |error| json_error(StatusCode::OK, Some(id.clone()), error);
                let exchange = exchange.map_err(refused)?;
                let alone = is_alone.then_some(AloneRequest { id, lacks_meta });
                Ok(Taken::Request(exchange, session, alone))
            }
            (message, None) => Ok(Taken::Message(session, Box::new(message))),
            (message, Some(peer)) => {
                self.hears(async move { session.is_told_alone(peer, message).await });
                Ok(Taken::Whole)
            }
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
            return Err(session_is_required());
        };
        let place = self.sessions.place(&head.method)?;
        let params = self.replicas.as_ref().map(|_| asked.params.clone());
        let principal = head.extensions.get::<Principal>().cloned();
        let name = rmcp::transport::common::server_side_http::session_id();
        request.request.extensions_mut().insert(head);
        let opened = self.sessions.open(&name, principal.as_ref(), place);
        let session = opened.map_err(internal)?;
        let exchange = session.takes(request, length, None).map_err(internal)?;
        // No revision is agreed upon yet.
        let mut response = answered(exchange, session, None, false, &self.settings).await;
        if let Ok(value) = HeaderValue::from_str(&name) {
            response.headers_mut().insert(SESSION, value);
        }
        if let (Some(replicas), Some(params)) = (&self.replicas, params) {
            let opened = replicas.opened(&name, principal.as_ref(), params);
            opened.await?;
        }
        Ok(response)
    }

    async fn get(
        &self,
        head: Parts,
        name: &str,
        handshake: Handshake,
    ) -> Result<Response<Body>, Refused> {
        accept::check(&head.headers, &head.method)?;
        let session = self.sessions.find(name, handshake, &head).await?;
        let reader = match head.headers.get(LAST_EVENT) {
            None => Some(session.listen()),
            Some(last) => answer::resumed(&session, last),
        };
        let primes = primes(&head.headers);
        // After an error, a client would ask for the same stream again and again.
        Ok(match reader {
            Some(reader) => {
                EventBody::response(&session, reader, None, None, primes, &self.settings)
            }
            None => answer::ended(),
        })
    }

    async fn delete(&self, name: &str) -> Result<Response<Body>, Refused> {
        if let Some(replicas) = &self.replicas {
            replicas.end(name).await?;
        }
        match self.sessions.get(name) {
            Some(session) => session.end(),
            // It may live at another replica, which has heard of its end.
            None if self.replicas.is_some() => {}
            None => return Err(unknown_session()),
        }
        // The official clients take no other status for the end of a session.
        Ok(StatusCode::NO_CONTENT.into_response())
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
        && method_of(body).is_some_and(|method| method == "initialize");
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
    Request(Exchange, Arc<Session>, Option<AloneRequest>),
    /// A message for rmcp's loop.
    Message(Arc<Session>, Box<ClientJsonRpcMessage>),
    /// Nothing of it is left to do.
    Whole,
}

/// The handshake of the session that a request names, if it was read from the store.
type Handshake = Option<Box<InitializeRequestParams>>;

debugs!(Endpoint {});
