//! A server behind a socket, its clients, and hooks that write down what they see.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{Router, body::Body, extract::ConnectInfo};
use hooks_sdk::{
    Collected, Hooked, Policy,
    core::Registry,
    http::{HeaderHooks, Principal},
    plugin::{HttpHeaders, PluginHook},
};
use hooks_tests::{
    client::{Client, Reply},
    toy_server::ToyServer,
};
use hyper::{HeaderMap, Request, body::Incoming, http::request::Parts, service::service_fn};
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tower::{Layer, ServiceExt};

/// Makes a server whose tool returns the headers of its request.
pub(crate) fn desk() -> ToyServer {
    ToyServer::default().tool("headers", |call| async move {
        let parts = call.cx.extensions.get::<Parts>().expect("an HTTP request");
        json!(texts(&parts.headers)).to_string()
    })
}

/// The headers of a message as text, in the form of the payloads.
pub(crate) fn texts(headers: &HeaderMap) -> HttpHeaders {
    let text =
        |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers
        .iter()
        .map(|(name, value)| (name.as_str().to_owned(), text(value)))
        .collect()
}

/// Puts hooks around a server.
pub(crate) fn hooked(
    desk: &ToyServer,
    hooks: impl IntoIterator<Item = PluginHook>,
    policy: Policy,
) -> Hooked<ToyServer> {
    let mut registry = Registry::builder();
    for hook in hooks {
        registry = registry.add(hook.into());
    }
    let collected = Collected::of(registry.build().unwrap()).unwrap();
    collected.policy(policy).wrap(desk.clone()).unwrap()
}

/// How a test serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Serving {
    /// Sessions for clients before 2026-07-28, and answers as events.
    Events,
    /// No sessions, and answers as JSON.
    Json,
}

/// Serves rmcp's own service behind a layer of the test's: axum's router, then the hooks, then `inside`.
pub(crate) async fn serve(
    hooked: Hooked<ToyServer>,
    serving: Serving,
    hooks: HeaderHooks,
    inside: impl Fn(&mut HeaderMap) + Clone + Send + Sync + 'static,
) -> SocketAddr {
    let config = match serving {
        Serving::Events => StreamableHttpServerConfig::default(),
        Serving::Json => StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true),
    };
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(hooked.clone()), sessions, config);
    let service = ServiceExt::<Request<Body>>::map_response(service, move |mut response| {
        inside(response.headers_mut());
        response
    });
    let router = Router::new().route_service("/mcp", hooks.layer(service));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, client)) = listener.accept().await {
            let router = router.clone();
            let answer = service_fn(move |mut request: Request<Incoming>| {
                let router = router.clone();
                // Stands for an author's own authentication.
                if let Some(user) = request.headers().get("x-user") {
                    let user = user.to_str().expect("text").to_owned();
                    let principal = Principal::new(user).of_tenant("enterprise-7");
                    request.extensions_mut().insert(principal);
                }
                request.extensions_mut().insert(ConnectInfo(client));
                async move { router.oneshot(request.map(Body::new)).await }
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), answer);
            tokio::spawn(connection);
        }
    });
    address
}

/// Serves a server with its own hooks.
pub(crate) async fn serve_hooked(
    desk: &ToyServer,
    serving: Serving,
    hooks: impl IntoIterator<Item = PluginHook>,
    policy: Policy,
) -> SocketAddr {
    let hooked = hooked(desk, hooks, policy);
    let layer = HeaderHooks::of(&hooked);
    serve(hooked, serving, layer, |_| ()).await
}

/// A client of 2026-07-28 that can be asked.
pub(crate) fn stateless(address: SocketAddr) -> Client {
    Client::stateless(address).capable(json!({"elicitation": {}}))
}

/// A client of the older generation, after its handshake if the server has sessions.
pub(crate) async fn legacy(address: SocketAddr, serving: Serving) -> Client {
    match serving {
        Serving::Events => Client::legacy(address).await,
        Serving::Json => Client::stranger(address),
    }
}

/// A client of each generation.
pub(crate) async fn both(address: SocketAddr, serving: Serving) -> [Client; 2] {
    [legacy(address, serving).await, stateless(address)]
}

/// Calls the tool.
pub(crate) async fn call(client: &Client) -> Reply {
    call_with(client, json!({})).await
}

/// Calls the tool with more members in its params.
pub(crate) async fn call_with(client: &Client, more: Value) -> Reply {
    client.start("headers", more).await.whole().await
}

/// The headers that the tool received.
pub(crate) fn received(reply: &Reply) -> Value {
    let text = &reply.message()["result"]["content"][0]["text"];
    serde_json::from_str(text.as_str().unwrap_or_else(|| panic!("{reply:?}"))).expect("JSON")
}

/// What hooks saw, in order.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(crate) fn add(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}
