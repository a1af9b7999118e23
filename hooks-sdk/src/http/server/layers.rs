//! What is behind the checks: the layers of this crate, and rmcp's service.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::body::Body;
use http::Request;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio_util::sync::CancellationToken;
use tower::{service_fn, util::BoxCloneSyncService};

use super::pipeline::Inner;
use crate::{
    server::{Hooked, ServerHandler},
    store::Log,
};

/// What the layers need of the server's settings.
pub(super) struct Settings {
    /// The origins, as rmcp reads them.
    pub(super) origins: Vec<String>,
    pub(super) max_body: usize,
    pub(super) keep_alive: Duration,
    pub(super) resumable: bool,
    /// Ends every session and stream.
    pub(super) end: CancellationToken,
}

/// The layers, and the sessions of this process.
pub(super) struct Inside {
    pub(super) inner: Inner,
    pub(super) sessions: Arc<LocalSessionManager>,
}

/// Puts the layers around rmcp's service.
pub(super) fn build<H: ServerHandler>(
    hooked: Hooked<H>,
    log: Option<Arc<dyn Log>>,
    settings: Settings,
) -> Inside {
    // The place of the replicas: their session store and event store come from `log` and the shared store.
    _ = (log, settings.resumable);
    let sessions = Arc::new(LocalSessionManager::default());
    let config = StreamableHttpServerConfig::default()
        // `Hosts` has checked the host, with a sentence that says what to set.
        .disable_allowed_hosts()
        .with_allowed_origins(settings.origins)
        .enforce_origin_validation()
        .with_max_request_body_bytes(settings.max_body)
        .with_sse_keep_alive(Some(settings.keep_alive))
        .with_json_response(true)
        .with_cancellation_token(settings.end);
    let rmcp = StreamableHttpService::new(move || Ok(hooked.clone()), sessions.clone(), config);
    // The place of the layers, from the inside: the door, the replicas, the hooks of HTTP.
    let service = service_fn(move |request: Request<Body>| {
        let rmcp = rmcp.clone();
        async move { Ok::<_, Infallible>(rmcp.handle(request).await.map(Body::new)) }
    });
    Inside {
        inner: BoxCloneSyncService::new(service),
        sessions,
    }
}
