//! How the fixtures are served: as rmcp alone serves them, and as the SDK does.

use std::{io, sync::Arc};

use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::net::TcpListener;

use crate::{handler::Fixtures, rooms};

/// As an ordinary author serves them.
pub(crate) async fn plain(listener: TcpListener, fixtures: Fixtures) -> anyhow::Result<()> {
    let service = StreamableHttpService::new(
        move || Ok(fixtures.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    Ok(axum::serve(listener, router).await?)
}

/// With every room on the way.
pub(crate) async fn wrapped(listener: TcpListener, fixtures: Fixtures) -> anyhow::Result<()> {
    let audit = tempfile::tempdir()?;
    let collected = rooms::all(audit.path())?;
    collected.wrap(fixtures.clone())?;
    let service = StreamableHttpService::new(
        move || collected.wrap(fixtures.clone()).map_err(io::Error::other),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default(),
    );
    let router = axum::Router::new().nest_service("/mcp", service);
    Ok(axum::serve(listener, router).await?)
}
