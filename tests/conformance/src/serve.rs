//! How the fixtures are served: as rmcp alone serves them, and as the SDK does.

use std::{future::pending, sync::Arc};

use hooks_sdk::{
    http,
    store::{MemoryStore, RedisStore},
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::net::TcpListener;

use crate::{handler::Fixtures, protocols};

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

/// With every protocol and every layer on the way.
///
/// Replicas share the Redis server at `store`.
pub(crate) async fn wrapped(
    listener: TcpListener,
    fixtures: Fixtures,
    store: Option<String>,
) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let hooked = protocols::all(folder.path())?.wrap(fixtures)?;
    let server = http::Server::new(hooked).principal(|_| Some("the suite".to_owned()));
    let server = match store {
        Some(url) => server.store(RedisStore::connect(&url).await?),
        None => server.store(MemoryStore::new()),
    };
    Ok(server.serve_on(listener, pending()).await?)
}
