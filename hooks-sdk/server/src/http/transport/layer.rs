//! The layer around rmcp's service.

use std::{
    convert::Infallible,
    io, mem,
    sync::Arc,
    task::{Context, Poll},
};

use axum::body::Body;
use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header::CONTENT_LENGTH};
use http_body::Body as HttpBody;
use tower::{Layer, Service};

use super::{
    SESSION, VERSION,
    accept::name_accepted,
    answer::{self, BoxError, media_type},
    body::{collect, prepared},
    filtering::{self, AskingAnswer},
    lift::Exit,
    notifications::{Told, Wishes},
    routing::has_id,
};
use crate::server::{
    Hooked, HookedService,
    carried::{ByTransport, MessageFilter, Post, Unreadable, unreadable},
};
use hooks_core::internal::debugs;

/// The longest body of a request, in bytes, unless set otherwise (4 MiB).
const LONGEST: usize = 4 * 1024 * 1024;

/// The first revision of MCP without sessions, and the first one in which an error may lack its `id`.
const WITHOUT_SESSIONS: &str = "2026-07-28";
const WITHOUT_NULL_ID: &str = "2025-11-25";

/// A layer around rmcp's `StreamableHttpService` that carries what rmcp's types drop, as
/// [`WireTransport`](crate::server::WireTransport) does for streams.
///
/// [`Server`](crate::http::Server) has this layer. Use it yourself if you mount rmcp's service in a router of your own:
///
/// ```no_run,standalone_crate
/// # use std::sync::Arc;
/// # use hooks_sdk::{Hooked, http::TransportLayer, rmcp::ServerHandler, rmcp::transport::streamable_http_server::{
/// #     StreamableHttpService, session::local::LocalSessionManager}};
/// use tower::Layer;
/// # fn router<H: ServerHandler>(hooked: Hooked<H>) -> axum::Router {
/// let handle = hooked.clone();
/// let service = StreamableHttpService::new(
///     move || Ok(handle.clone()),
///     Arc::new(LocalSessionManager::default()),
///     Default::default(),
/// );
/// axum::Router::new().route_service("/mcp", TransportLayer::new(hooked).layer(service))
/// # }
/// ```
///
/// - A client may declare hooks at the top level of its capabilities, and gets the server's declarations there. An
///   `experimental` or `extensions` of the wrong shape counts as not declared.
/// - Members of MCPL reach the tools, and the answers carry them back.
/// - A message that cannot be read gets a JSON-RPC error with status 400.
/// - Notifications of protocol 2026-07-28, which rmcp drops, reach the server.
/// - A client may accept the media types of an answer by ranges, such as `*/*`, or have no `Accept`.
///
/// Host and Origin are checked by rmcp's service, and everything that reads less than a whole body belongs in front of
/// this layer. The order of calls in a session and whole answers to requests of the server need [`Server`] itself.
///
/// [`Server`]: crate::http::Server
#[derive(Clone)]
#[must_use]
pub struct TransportLayer {
    told: Arc<Told>,
    longest: usize,
    has_sessions: bool,
}

impl TransportLayer {
    /// Creates the layer for a service whose factory returns clones of `hooked`.
    pub fn new<H>(hooked: Hooked<H>) -> TransportLayer {
        TransportLayer::of_service(hooked.service)
    }

    pub(in crate::http) fn of_service(service: HookedService) -> TransportLayer {
        TransportLayer::by(Told::by(move || Ok(service.clone())))
    }

    /// Creates the layer for a service with this factory.
    pub fn of<H>(
        factory: impl Fn() -> io::Result<Hooked<H>> + Send + Sync + 'static,
    ) -> TransportLayer {
        TransportLayer::by(Told::by(move || factory().map(|hooked| hooked.service)))
    }

    fn by(told: Told) -> TransportLayer {
        TransportLayer {
            told: Arc::new(told),
            longest: LONGEST,
            has_sessions: false,
        }
    }

    /// Declares that the sessions behind this layer are the SDK's. They decide themselves about what is sent.
    pub(in crate::http) fn with_sessions(mut self) -> TransportLayer {
        self.has_sessions = true;
        self
    }

    /// Sets how many bytes the body of a request may have. The default is 4 MiB. A longer one gets status 413.
    ///
    /// rmcp's service has a limit of its own, which is 4 MiB, too.
    pub fn max_body_bytes(mut self, bytes: usize) -> TransportLayer {
        self.longest = bytes;
        self
    }

    /// Answers a request. Most requests are JSON messages, so the future has room for one, and boxes for the rest.
    fn pass<S, B, R>(
        self,
        mut service: S,
        request: Request<B>,
    ) -> impl Future<Output = Response<Body>> + Send
    where
        S: Service<Request<Body>, Response = Response<R>, Error = Infallible>
            + Clone
            + Send
            + 'static,
        S::Future: Send,
        B: HttpBody<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
        R: HttpBody<Data = Bytes> + Send + 'static,
        R::Error: Into<BoxError>,
    {
        let (mut head, body) = request.into_parts();
        name_accepted(&mut head.headers, &head.method);
        async move {
            let Some(Wishes {
                members_of_a_call,
                decider,
                exit,
            }) = self.told.wanted()
            else {
                return answer::empty(StatusCode::INTERNAL_SERVER_ERROR);
            };
            let is_json = media_type(&head.headers)
                .is_some_and(|kind| kind.eq_ignore_ascii_case("application/json"));
            if head.method != Method::POST || !is_json {
                let request = Request::from_parts(head, Body::new(body));
                let exit = match self.has_sessions {
                    true => Exit::default(),
                    false => exit.clone(),
                };
                return Box::pin(other(decider.as_ref(), exit, service, request)).await;
            }
            let message = match collect(body, self.longest).await {
                Ok(message) => message,
                Err(response) => return response,
            };
            let (message, is_exempt) = match decider {
                None => (message, false),
                Some(decider) => {
                    match Box::pin(filtering::arrives(decider, message, &mut head)).await {
                        Ok(arrived) => arrived,
                        Err(response) => return response,
                    }
                }
            };
            let asking = (decider.as_ref())
                .and_then(|decider| AskingAnswer::of(decider, &head, &service, is_exempt))
                .map(Box::new);
            let (prepared, members) = prepared(message.clone(), || members_of_a_call.clone());
            let post = Arc::<Post>::default();
            head.extensions.insert(ByTransport {
                members,
                post: post.clone(),
            });
            if let Some(length) = head.headers.get_mut(CONTENT_LENGTH) {
                *length = HeaderValue::from(prepared.len());
            }
            let id_is_due = version(&head.headers).is_none_or(|version| version < WITHOUT_NULL_ID);
            let may_be_dropped = may_be_dropped(&head.headers) && !has_id(&prepared);
            let dropped = may_be_dropped.then(|| Box::new(head.clone()));
            let request = Request::from_parts(head, Body::from(prepared.clone()));
            let Ok(response) = service.call(request).await;
            match (response.status(), dropped) {
                // The media type was right. Perhaps rmcp could not read the message.
                (StatusCode::UNSUPPORTED_MEDIA_TYPE | StatusCode::BAD_REQUEST, _) => {
                    match unreadable(&message, id_is_due) {
                        Some(Unreadable::Malformed(error)) => return answer::malformed(error),
                        Some(Unreadable::Notification) => {
                            return answer::empty(StatusCode::ACCEPTED);
                        }
                        None => {}
                    }
                }
                (StatusCode::ACCEPTED, Some(head)) => self.told.tell(&prepared, *head),
                _ => {}
            }
            let response = answer::leave(response, exit.to(post), true).await;
            match asking {
                Some(asking) => Box::pin(asking.answer(response)).await,
                None => response,
            }
        }
    }
}

/// Answers a request that is no JSON message: it opens a stream, ends a session, or is refused.
async fn other<S, R>(
    decider: Option<&MessageFilter>,
    exit: Exit,
    mut service: S,
    mut request: Request<Body>,
) -> Response<Body>
where
    S: Service<Request<Body>, Response = Response<R>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    R: HttpBody<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
{
    request.extensions_mut().insert(ByTransport::default());
    let (head, body) = request.into_parts();
    let asking = decider.and_then(|decider| AskingAnswer::of(decider, &head, &service, false));
    let Ok(response) = service.call(Request::from_parts(head, body)).await;
    let response = answer::leave(response, exit, false).await;
    match asking {
        Some(asking) => asking.answer(response).await,
        None => response,
    }
}

/// Returns the revision of MCP that a request names.
fn version(headers: &HeaderMap) -> Option<&str> {
    headers.get(VERSION)?.to_str().ok()
}

/// Returns whether rmcp accepts a notification with these headers and drops it: it belongs to no session.
fn may_be_dropped(headers: &HeaderMap) -> bool {
    !headers.contains_key(SESSION)
        || version(headers).is_some_and(|version| version >= WITHOUT_SESSIONS)
}

impl<S> Layer<S> for TransportLayer {
    type Service = TransportService<S>;

    fn layer(&self, service: S) -> TransportService<S> {
        let layer = self.clone();
        TransportService { layer, service }
    }
}

debugs!(TransportLayer { longest });

/// A service behind the layer [`TransportLayer`].
#[derive(Clone, Debug)]
pub struct TransportService<S> {
    layer: TransportLayer,
    service: S,
}

impl<S, B, R> Service<Request<B>> for TransportService<S>
where
    S: Service<Request<Body>, Response = Response<R>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    R: HttpBody<Data = Bytes> + Send + 'static,
    R::Error: Into<BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // The service that is ready takes the request, and its clone becomes ready for the next one.
        let next = self.service.clone();
        let service = mem::replace(&mut self.service, next);
        let layer = self.layer.clone();
        Box::pin(layer.pass(service, request).map(Ok))
    }
}
