//! The layer in front of the transport: sessions, and letters to other replicas.

use std::{
    convert::Infallible,
    future::Future,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use axum::{BoxError, body::Body};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use tower::{Layer, Service};

use super::{
    Replicas,
    count::Count,
    handshake::{HandshakeRelay, PASSING, take_passed},
    refusal,
    sessions::Admitted,
};
use crate::http::{
    Principal,
    transport::{Addressed, ReplicaId, SESSION, SessionManager, addressed_to, is_stateless},
};

/// rmcp counts the events of each process alone, so that an event id means another event at another replica.
const LAST_EVENT: HeaderName = HeaderName::from_static("last-event-id");

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
        request.headers_mut().remove(LAST_EVENT);
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
            return response;
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
        response
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
        let elsewhere = |of: ReplicaId| of != self.replicas.0.replica;
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
        None
    }
}
