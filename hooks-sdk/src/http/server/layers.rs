//! What is behind the checks: the layers of this crate, and rmcp's service.

use std::{sync::Arc, time::Duration};

use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;
use tower::{Layer, util::BoxCloneSyncService};

use super::pipeline::Inner;
use crate::{
    http::door::{Door, SessionManager},
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
    pub(super) sessions: Arc<SessionManager>,
}

/// Puts the layers around rmcp's service.
pub(super) fn build<H: ServerHandler>(
    hooked: Hooked<H>,
    log: Option<Arc<dyn Log>>,
    settings: Settings,
) -> Inside {
    // The place of the replicas: their session store and event store come from `log` and the shared store.
    _ = log;
    let sessions = Arc::new(SessionManager::new(None, settings.resumable));
    let door = Door::new(hooked.clone()).max_body_bytes(settings.max_body);
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
    // The place of the layers around the door, from the inside: the replicas, the hooks of HTTP.
    let service = door.layer(rmcp);
    Inside {
        inner: BoxCloneSyncService::new(service),
        sessions,
    }
}
