//! A server over HTTP: two lines, its settings, and a router of the author's own.

// ANCHOR: use
use std::{convert::Infallible, error::Error, sync::Arc, time::Duration};

use axum::{Router, body::Body, http::Request, routing::get};
use hooks_sdk::{
    http::{self, HeaderHooks},
    prelude::*,
    store::RedisStore,
};
use http_body_util::BodyExt;
use rmcp::{
    ServerHandler, tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use tower::{Layer, ServiceExt};
// ANCHOR_END: use

// ANCHOR: notes
#[derive(Default)]
struct Notes;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, allow(list_notes), next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

#[hooks_sdk::hooks]
#[tool_router]
impl Notes {
    #[tool]
    async fn list_notes(&self) -> String {
        "none yet".to_owned()
    }

    /// What there is to know when a session begins.
    #[lifecycle::hook(session_start, strength = important)]
    async fn open_notes(&self) -> String {
        "There are 3 open notes.".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Notes {}
// ANCHOR_END: notes

#[expect(dead_code, reason = "it listens, and needs Redis")]
// ANCHOR: serve
async fn serve() -> Result<(), Box<dyn Error>> {
    let store = RedisStore::connect("redis://127.0.0.1").await?;
    let server = http::Server::new(Notes.with_hooks()?.session::<Stage>()).store(store);
    server.serve("127.0.0.1:8080").await?;
    Ok(())
}
// ANCHOR_END: serve

#[expect(dead_code, reason = "it listens")]
// ANCHOR: public
async fn serve_publicly(token: &str) -> Result<(), Box<dyn Error>> {
    let hooked = Notes.with_hooks()?.session::<Stage>();
    http::Server::new(hooked)
        .hosts(["mcp.example.com"])
        .bearer(token)
        // The proxy sets this header, and removes the one that a client sent.
        .principal(|parts| Some(parts.headers.get("x-user")?.to_str().ok()?.to_owned()))
        .max_body(1024 * 1024)
        .drain(Duration::from_secs(60))
        .ready("search index", index_is_loaded)
        .serve("127.0.0.1:8080")
        .await?;
    Ok(())
}
// ANCHOR_END: public

fn index_is_loaded() -> impl Future<Output = Result<(), Infallible>> {
    std::future::ready(Ok(()))
}

// ANCHOR: routes
async fn routes() -> Result<Router, Box<dyn Error>> {
    let hooked = Notes.with_hooks()?.session::<Stage>();
    let stop = async { _ = tokio::signal::ctrl_c().await };
    let mcp = http::Server::new(hooked).router_until(stop).await?;
    Ok(Router::new()
        .route("/", get(|| async { "a server for notes" }))
        .merge(mcp))
}
// ANCHOR_END: routes

// ANCHOR: layers
fn layers() -> Result<Router, Box<dyn Error>> {
    let hooked = Notes.with_hooks()?.session::<Stage>();
    let hooks = HeaderHooks::of(&hooked);
    let service = StreamableHttpService::new(
        move || Ok(hooked.clone()),
        Arc::new(LocalSessionManager::default()),
        StreamableHttpServerConfig::default().enforce_origin_validation(),
    );
    Ok(Router::new().route_service("/mcp", hooks.layer(service)))
}
// ANCHOR_END: layers

#[tokio::test]
async fn the_hooks_are_declared_over_http() {
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"hooks":{"supported_events":["session_start"]}},"clientInfo":{"name":"a client","version":"1.0.0"}}}"#;
    // rmcp's own service drops the capability that the client declares at the top.
    for (router, is_own) in [(routes().await.unwrap(), true), (layers().unwrap(), false)] {
        let request = Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(Body::from(hello))
            .unwrap();
        let response = router.oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        // A stream goes on after its answer; the first event is the answer.
        let mut body = response.into_body();
        let mut answer = String::new();
        while !answer.contains("serverInfo") {
            let frame = body.frame().await.unwrap().unwrap();
            let data = frame.into_data().unwrap_or_default();
            answer += std::str::from_utf8(&data).unwrap();
        }
        let is_declared = answer.contains(r#""context_tool":"open_notes""#);
        assert_eq!(is_declared, is_own, "{answer}");
    }
}
