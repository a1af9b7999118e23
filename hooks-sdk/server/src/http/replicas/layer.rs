//! The layer in front of the transport: sessions, letters to other replicas, and events that a client asks for again.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use axum::{BoxError, body::Body};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header::CONTENT_TYPE,
};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use tower::{Layer, Service};

use super::{
    Replicas,
    count::Count,
    event_id::EventSeal,
    handshake::{HandshakeRelay, PASSING, take_passed},
    refusal,
    sessions::Admitted,
    sse::SealedEvents,
};
use crate::http::{
    Principal,
    transport::{Addressed, ReplicaId, SESSION, SessionManager, addressed_to, is_stateless},
};

const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

static FOREIGN_EVENT: Count =
    Count::of("a client asked for events with an id that has expired or was not given to it");
static UNSENT: Count = Count::of("an answer or a cancellation could not be sent to other replicas");

/// Puts a service behind the sessions of all replicas.
#[derive(Clone)]
pub(in crate::http) struct ReplicasLayer {
    replicas: Replicas,
    manager: Arc<SessionManager>,
}

impl ReplicasLayer {
    pub(super) fn new(replicas: Replicas, manager: Arc<SessionManager>) -> ReplicasLayer {
        ReplicasLayer { replicas, manager }
    }
}

impl<S> Layer<S> for ReplicasLayer {
    type Service = OneReplica<S>;

    fn layer(&self, inner: S) -> OneReplica<S> {
        OneReplica {
            layer: self.clone(),
            inner,
        }
    }
}

/// A service that is one of many replicas.
#[derive(Clone)]
pub(in crate::http) struct OneReplica<S> {
    layer: ReplicasLayer,
    inner: S,
}

impl<S, B, R> Service<Request<B>> for OneReplica<S>
where
    S: Service<Request<Body>, Response = Response<R>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    R: http_body::Body<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The clone may not be ready; the service itself is.
        let next = self.inner.clone();
        let service = OneReplica {
            layer: self.layer.clone(),
            inner: std::mem::replace(&mut self.inner, next),
        };
        Box::pin(async move { Ok(service.serve(request.map(Body::new)).await) })
    }
}

impl<S, R> OneReplica<S>
where
    S: Service<Request<Body>, Response = Response<R>, Error = Infallible>,
    R: http_body::Body<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
{
    async fn serve(mut self, mut request: Request<Body>) -> Response<Body> {
        let ReplicasLayer { replicas, manager } = &self.layer;
        let principal = request.extensions().get::<Principal>().cloned();
        let session = match request.headers().get(SESSION).map(HeaderValue::to_str) {
            Some(Ok(session)) => Some(session.to_owned()),
            Some(Err(_)) => return refusal::unknown_session(),
            None => None,
        };
        let mut passing = HandshakeRelay::default();
        if let Some(session) = &session {
            let admitted = replicas.admit(manager, session, principal.as_ref());
            match admitted.await {
                Admitted::Yes(params) => passing.params = params.map(|params| *params),
                Admitted::UnknownSession => return refusal::unknown_session(),
                Admitted::Unavailable => return refusal::unavailable(),
            }
            let settled = match *request.method() {
                Method::POST => self.layer.post(session, &mut request).await,
                Method::DELETE if !is_stateless(request.headers()) => self.layer.end(session).await,
                _ => None,
            };
            if let Some(response) = settled {
                return response;
            }
        }
        let keys = replicas.0.keys.clone();
        let seal = EventSeal::new(keys, session.as_deref(), principal.as_ref());
        let seal = replicas.0.settings.resumable.then_some(seal);
        if !open_last_event(request.headers_mut(), seal.as_ref()) {
            FOREIGN_EVENT.add();
            return refusal::no_events();
        }
        let serve = async {
            let response = match self.inner.call(request).await {
                Ok(response) => response.map(Body::new),
                Err(never) => match never {},
            };
            (response, take_passed())
        };
        let (response, passed) = PASSING.scope(Mutex::new(passing), serve).await;
        if passed.unreachable {
            return refusal::unavailable();
        }
        let (None, Some(params)) = (&session, passed.params) else {
            return seal_events(response, seal);
        };
        // The handshake of a new session: its ids are bound to the session that has just been made.
        let new = response
            .headers()
            .get(SESSION)
            .and_then(|new| new.to_str().ok());
        if let Some(new) = new.map(str::to_owned)
            && !replicas.bind(&new, principal.as_ref(), params).await
        {
            // The client's next request may go to another replica, which would not know the session.
            replicas.forget(manager, &new).await;
            return refusal::unavailable();
        }
        seal_events(response, None)
    }
}

impl ReplicasLayer {
    /// Handles what another replica may wait for. Otherwise the request goes on, with its body read.
    async fn post(&self, session: &str, request: &mut Request<Body>) -> Option<Response<Body>> {
        let limit = self.replicas.0.settings.largest_body;
        let body = std::mem::take(request.body_mut());
        let body = match Limited::new(body, limit).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return Some(refusal::too_large(limit)),
            Err(_) => return Some(refusal::unreadable_body()),
        };
        let elsewhere = |of: ReplicaId| of.0 != self.replicas.0.origin;
        let (sent, is_done) = match addressed_to(&body) {
            Addressed::Answer(Some(of)) | Addressed::Progress(Some(of)) if elsewhere(of) => {
                (self.replicas.forward(of, session, &body).await, true)
            }
            Addressed::Cancel => {
                let sent = self.replicas.broadcast(session, &body).await;
                // The call may run here as well as elsewhere.
                let is_live = self.manager.has_session(&session.into()).await;
                (sent, !is_live.unwrap_or(false))
            }
            _ => (Ok(()), false),
        };
        *request.body_mut() = Body::from(body);
        if let Err(error) = &sent {
            UNSENT.add();
            tracing::debug!(target: "hooks_sdk::http", %error, "a letter could not be sent");
        }
        is_done.then(|| match sent {
            Ok(()) => refusal::accepted(),
            Err(_) => refusal::unavailable(),
        })
    }

    /// Ends the session everywhere; rmcp then ends what lives of it here.
    async fn end(&self, session: &str) -> Option<Response<Body>> {
        if let Err(error) = self.replicas.end(session).await {
            tracing::warn!(target: "hooks_sdk::http", %error, "a session could not be ended");
            return Some(refusal::unavailable());
        }
        self.replicas.0.listeners.end(session);
        None
    }
}

/// Replaces a sealed `Last-Event-ID` by the id inside. Returns `false` if it was not sealed for this client.
fn open_last_event(headers: &mut HeaderMap, seal: Option<&EventSeal>) -> bool {
    let (Some(last), Some(seal)) = (headers.remove(LAST_EVENT), seal) else {
        return true;
    };
    let open = || {
        let id = seal.open(last.to_str().ok()?)?;
        HeaderValue::from_str(&id).ok()
    };
    let id = open();
    let is_own = id.is_some();
    id.map(|id| headers.insert(LAST_EVENT, id));
    is_own
}

fn seal_events(response: Response<Body>, seal: Option<EventSeal>) -> Response<Body> {
    let kind = response.headers().get(CONTENT_TYPE);
    let is_stream = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if response.status() != StatusCode::OK || !is_stream {
        return response;
    }
    response.map(|body| Body::new(SealedEvents::new(body, seal)))
}
