//! The pipeline of one HTTP request: who may ask, and how much at once; then the hooks of HTTP, and the endpoint.

use std::{pin::pin, sync::Arc, time::Duration};

use axum::{BoxError, body::Body};
use bytes::Bytes;
use futures::{
    FutureExt,
    future::{Either, pending, select},
    stream,
};
use http::{Method, Request, Response, StatusCode, Version, request::Parts};
use http_body::Body as _;
use http_body_util::{BodyExt, StreamBody};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    time::{sleep, timeout},
};
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use super::{TransportSettings, cors::Page};
#[cfg(feature = "policy-engine")]
use crate::http::HeaderHooks;
use crate::{
    http::endpoint::{Endpoint, addressed_to},
    server::is_listening,
};
use hooks_http::{
    body::{Held, announced, is_json},
    refusal::HttpRefusal,
};

/// What every request to the path of MCP passes.
pub(super) struct EntryChecks {
    pub(super) settings: Arc<TransportSettings>,
    #[cfg(feature = "oauth")]
    pub(super) login: Option<Arc<hooks_http::oauth::Login>>,
    /// The places of requests that are being answered, and of open `GET` streams.
    pub(super) calls: Arc<Semaphore>,
    pub(super) streams: Arc<Semaphore>,
    /// Refuses new requests, and ends open `GET` streams.
    pub(super) stopping: CancellationToken,
    /// Ends every session and stream.
    pub(super) end: CancellationToken,
    /// The open WebSockets.
    pub(super) sockets: TaskTracker,
    #[cfg(feature = "policy-engine")]
    pub(super) hooks: HeaderHooks,
    pub(super) endpoint: Endpoint,
    /// Ends the renewal of the shared key.
    pub(super) _renewal: DropGuard,
}

impl EntryChecks {
    /// Answers a request.
    pub(super) async fn answer<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data = Bytes> + Send,
        B::Error: Into<BoxError>,
    {
        let method = request.method().clone();
        let page = Page::of(request.headers(), &self.settings.origins);
        let passed = self.pass(request, page.as_ref()).await;
        let mut response = passed.unwrap_or_else(|refusal| {
            tracing::debug!(
                target: "hooks_sdk::http",
                status = %refusal.status(), "a request was refused"
            );
            refusal.response(&method)
        });
        if let Some(page) = page {
            page.open(&mut response);
        }
        response
    }

    /// Checks whether a request names a host and an origin of this server.
    fn check_names(&self, parts: &Parts) -> Result<(), HttpRefusal> {
        let TransportSettings { hosts, origins, .. } = &*self.settings;
        hosts.check(&parts.uri, &parts.headers, false)?;
        origins.check(&parts.headers)
    }

    /// Checks the token of a request, where the server has a login. Returns how long the token is still good.
    async fn admit(&self, parts: &mut Parts) -> Result<Option<Duration>, HttpRefusal> {
        #[cfg(feature = "oauth")]
        if let Some(login) = &self.login {
            return login.admit(parts).await;
        }
        _ = parts;
        Ok(None)
    }

    /// Checks who asks for a path beside that of MCP, where the server has a login.
    #[cfg(feature = "guardian-server")]
    pub(super) async fn admits_beside(
        &self,
        request: Request<Body>,
    ) -> Result<Request<Body>, HttpRefusal> {
        let (mut parts, body) = request.into_parts();
        self.check_names(&parts)?;
        self.admit(&mut parts).await?;
        #[cfg(feature = "oauth")]
        self.check_scopes(&parts, &[])?;
        Ok(Request::from_parts(parts, body))
    }

    /// Checks a request for a WebSocket, and takes a place for it among the open streams.
    ///
    /// Browsers set no headers on such a request, so the token may be in the query. It is taken out of the URI. An access
    /// token of a login is never read there.
    ///
    /// Also returns how long the access token is still good.
    #[cfg(feature = "mcpl")]
    pub(super) async fn admits_socket(
        &self,
        parts: &mut Parts,
    ) -> Result<(OwnedSemaphorePermit, Option<Duration>), HttpRefusal> {
        self.check_names(parts)?;
        if parts.method != Method::GET {
            return Err(HttpRefusal::of_method(
                "GET",
                "a WebSocket begins with a GET",
            ));
        }
        let in_query = take_token(parts);
        let lasts = self.admit(parts).await?;
        #[cfg(feature = "oauth")]
        self.check_scopes(parts, &[])?;
        let place = self.place(&parts.method)?;
        match in_query {
            Some(token) => self.settings.tokens.check_token(&token)?,
            None => self.settings.tokens.check(&parts.headers)?,
        }
        self.identify(parts)?;
        Ok((place, lasts))
    }

    async fn pass<B>(
        &self,
        request: Request<B>,
        page: Option<&Page>,
    ) -> Result<Response<Body>, HttpRefusal>
    where
        B: http_body::Body<Data = Bytes> + Send,
        B::Error: Into<BoxError>,
    {
        let (mut parts, body) = request.into_parts();
        self.check_names(&parts)?;
        // A browser sends no token with it.
        if let Some(answer) = page.and_then(|page| page.preflight(&parts.method, &parts.headers)) {
            return Ok(answer);
        }
        // Before a place is taken: wrong tokens take no places away from others.
        let lasts = self.admit(&mut parts).await?;
        let (place, refusal) = match self.place(&parts.method) {
            Ok(place) => (Some(place), None),
            // A call that runs may wait for it.
            Err(refusal) if is_small_post(&parts) => (None, Some(refusal)),
            Err(refusal) => return Err(refusal),
        };
        self.settings.body.check(&parts.headers)?;
        // A body is read only for who may send one.
        self.settings.tokens.check(&parts.headers)?;
        self.identify(&mut parts)?;
        let is_stream = parts.method == Method::GET;
        let is_shared = parts.version == Version::HTTP_2;
        let body = match parts.method {
            Method::POST => {
                is_json(&parts.headers)?;
                let body = self.settings.body.read(body).await?;
                match refusal {
                    Some(refusal) if !addressed_to(&body).is_for_a_running_call() => {
                        return Err(refusal);
                    }
                    _ => body,
                }
            }
            _ => Bytes::new(),
        };
        #[cfg(feature = "oauth")]
        self.check_scopes(&parts, &body)?;
        // Only a stream that has no end of its own ends with its token.
        let lasts = lasts.filter(|_| is_stream || is_listening(&body));
        let request = Request::from_parts(parts, body);
        // The future of the endpoint is large, and the ones around it are moved several times.
        let answer = |request| Box::pin(self.endpoint.answer(request));
        let response = self.hooked(request, answer).await;
        Ok(response.map(|body| {
            // The connection keeps such an answer until it is written.
            let length = body.size_hint().exact();
            if length.is_some_and(|length| length <= SMALL) {
                return body;
            }
            let stopping = is_stream.then(|| self.stopping.clone());
            let end = (is_stream || lasts.is_some()).then(|| {
                let ended = async move {
                    let stopped = end_of(stopping.map(CancellationToken::cancelled_owned));
                    select(pin!(stopped), pin!(end_of(lasts.map(sleep)))).await;
                };
                ended.boxed()
            });
            let held = Held { body, place, end };
            match is_shared {
                true => watched(held, self.settings.write_timeout),
                false => Body::new(held),
            }
        }))
    }

    /// Passes a request through the hooks of HTTP, if the server has any.
    pub(super) async fn hooked<B, F>(
        &self,
        request: Request<B>,
        next: impl FnOnce(Request<B>) -> F,
    ) -> Response<Body>
    where
        F: Future<Output = Response<Body>>,
    {
        #[cfg(feature = "policy-engine")]
        {
            let next = |request| next(request).map(Ok::<_, std::convert::Infallible>);
            let Ok(response) = self.hooks.pass(request, next).await;
            response
        }
        #[cfg(not(feature = "policy-engine"))]
        next(request).await
    }

    /// Takes a place among the requests that are being answered.
    fn place(&self, method: &Method) -> Result<OwnedSemaphorePermit, HttpRefusal> {
        let busy = |sentence| HttpRefusal::new(StatusCode::SERVICE_UNAVAILABLE, sentence);
        if self.stopping.is_cancelled() {
            return Err(busy("the server is stopping: send the request again"));
        }
        let (places, sentence) = match *method {
            Method::POST | Method::DELETE => (
                &self.calls,
                "the server answers as many requests as it can: send the request again; its operator sets the number with `Server::max_requests`",
            ),
            Method::GET => (
                &self.streams,
                "the server has as many open streams as it can: try again; its operator sets the number with `Server::max_sessions`",
            ),
            _ => {
                return Err(HttpRefusal::of_method(
                    "GET, POST, DELETE",
                    "MCP uses GET, POST and DELETE",
                ));
            }
        };
        let place = places.clone().try_acquire_owned();
        place.map_err(|_| busy(sentence))
    }

    /// Finds the principal, and tells the layers behind.
    fn identify(&self, parts: &mut Parts) -> Result<(), HttpRefusal> {
        let Some(find) = &self.settings.principal else {
            return Ok(());
        };
        let Some(principal) = find(parts) else {
            return Err(HttpRefusal::new(
                StatusCode::UNAUTHORIZED,
                "the server does not know who sent the request",
            ));
        };
        parts.extensions.insert(principal);
        Ok(())
    }
}

/// Waits for the end of a future. Where there is none, waits for ever.
pub(super) async fn end_of<F: Future>(future: Option<F>) -> F::Output {
    match future {
        Some(future) => future.await,
        None => pending().await,
    }
}

/// Passes the frames on. When the client takes none for `longest`, the body is dropped, and with it the call.
///
/// A client of HTTP/2 may read nothing of one of its streams. The timeout of the connection does not see it, because the other
/// streams go on.
fn watched(mut body: Held, longest: Duration) -> Body {
    let (sender, mut receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        loop {
            let (frame, gone) = (pin!(body.frame()), pin!(sender.closed()));
            let frame = match select(frame, gone).await {
                Either::Left((Some(frame), _)) => frame,
                _ => return,
            };
            if timeout(longest, sender.send(frame)).await.is_err() {
                tracing::debug!(
                    target: "hooks_sdk::http",
                    "a client that reads nothing was cut off"
                );
                return;
            }
        }
    });
    let frames = stream::poll_fn(move |cx| receiver.poll_recv(cx));
    Body::new(StreamBody::new(frames))
}

/// Takes the query with a `token` out of the URI, and returns the token.
#[cfg(feature = "mcpl")]
fn take_token(parts: &mut Parts) -> Option<String> {
    let query = parts.uri.query()?;
    let mut members = form_urlencoded::parse(query.as_bytes());
    let (_, token) = members.find(|(name, _)| name == "token")?;
    let token = token.into_owned();
    parts.uri = parts.uri.path().parse().ok()?;
    Some(token)
}

/// The largest body without a place, in bytes: of a request for which there is none, and of an answer that is being
/// written.
const SMALL: u64 = 64 * 1024;

fn is_small_post(parts: &Parts) -> bool {
    parts.method == Method::POST && announced(&parts.headers).is_some_and(|length| length <= SMALL)
}
