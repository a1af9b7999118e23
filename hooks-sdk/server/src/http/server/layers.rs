//! What is behind the checks: the layers of this crate, and rmcp's service.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tower::{Layer, Service, ServiceExt, service_fn};

use super::pipeline::InnerService;
use crate::{
    http::{
        TransportLayer,
        replicas::{self, Replicas},
        transport::{ReplicaId, SESSION, SessionManager, is_stateless},
    },
    server::HookedService,
};
use hooks_core::store::Store;

/// What the layers need of the server's settings.
pub(super) struct LayerSettings {
    /// The origins, as rmcp reads them.
    pub(super) origins: Vec<String>,
    pub(super) max_body: usize,
    pub(super) keep_alive: Duration,
    pub(super) session_idle: Duration,
    /// Ends every session and stream.
    pub(super) end: CancellationToken,
}

/// The layers, and the sessions of this process.
pub(super) struct BuiltLayers {
    pub(super) inner: InnerService,
    pub(super) sessions: Arc<SessionManager>,
}

/// Puts the layers around rmcp's service. With a `store`, they know whose session is whose.
pub(super) fn build(
    hooked: HookedService,
    store: Option<Arc<dyn Store>>,
    settings: LayerSettings,
) -> BuiltLayers {
    let hooks = hooks_of(&hooked);
    let replica = ReplicaId::random();
    let replicas = store.map(|store| {
        let of_replicas = replicas::ReplicaOptions {
            largest_body: settings.max_body,
            ..replicas::ReplicaOptions::default()
        };
        Replicas::new(replica, store, of_replicas, settings.end.clone())
    });
    let sessions = SessionManager::new(replica, replicas.is_some());
    let sessions = sessions.decided_by(hooked.decider());
    let sessions = Arc::new(sessions.idle(settings.session_idle));
    let mut config = StreamableHttpServerConfig::default()
        // `Hosts` has checked the host, with a sentence that says what to set.
        .disable_allowed_hosts()
        .with_allowed_origins(settings.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(settings.max_body)
        .with_sse_keep_alive(Some(settings.keep_alive))
        .with_cancellation_token(settings.end);
    config.session_store = replicas.as_ref().map(Replicas::session_store);
    let layer = TransportLayer::of_service(hooked.clone()).with_sessions();
    let layer = layer.max_body_bytes(settings.max_body);
    let rmcp = StreamableHttpService::new(move || Ok(hooked.clone()), sessions.clone(), config);
    // Every request clones the services, and a clone of rmcp's own copies all its settings.
    let rmcp = Arc::new(rmcp);
    let known = sessions.clone();
    let rmcp = service_fn(move |request: Request<Body>| {
        let (rmcp, known) = (rmcp.clone(), known.clone());
        // The future is large, and the ones around it are moved several times.
        Box::pin(async move {
            let (head, body) = request.into_parts();
            Ok::<_, Infallible>(
                match ends_unknown(&known, &head.method, &head.headers).await {
                    true => unknown_session(),
                    false => rmcp.handle(Request::from_parts(head, body)).await,
                },
            )
        })
    });
    let service = layer.layer(rmcp);
    let inner = match &replicas {
        Some(replicas) => inner(hooks.layer(replicas.layer(sessions.clone()).layer(service))),
        None => inner(hooks.layer(service)),
    };
    BuiltLayers { inner, sessions }
}

/// Returns whether a request would end a session that does not exist, which rmcp accepts. A revision without sessions
/// has no such request, and rmcp refuses it.
async fn ends_unknown(sessions: &SessionManager, method: &Method, headers: &HeaderMap) -> bool {
    if method != Method::DELETE || is_stateless(headers) {
        return false;
    }
    match headers.get(SESSION).map(HeaderValue::to_str) {
        None => false,
        Some(Ok(session)) => !sessions.may_be_known(session).await,
        Some(Err(_)) => true,
    }
}

/// Answers as rmcp does to a `GET` or `POST` of such a session.
fn unknown_session() -> Response<BoxBody<Bytes, Infallible>> {
    let sentence = Bytes::from_static(b"Not Found: Session not found");
    let mut response = Response::new(Full::new(sentence).boxed());
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

/// Returns the layer that runs the hooks of HTTP.
#[cfg(feature = "plugin")]
pub(super) fn hooks_of(hooked: &HookedService) -> crate::http::HeaderHooks {
    crate::http::HeaderHooks::of_service(hooked)
}

#[cfg(not(feature = "plugin"))]
pub(super) fn hooks_of(_: &HookedService) -> tower::layer::util::Identity {
    tower::layer::util::Identity::new()
}

/// Hides the type of a service.
fn inner<S>(service: S) -> InnerService
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send,
{
    Arc::new(move |request| {
        let answer = service.clone().oneshot(request);
        Box::pin(async move {
            let Ok(response) = answer.await;
            response
        })
    })
}
