//! A server behind a socket, a client that reads bytes, and hooks that write down what they see.

use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{Router, body::Body, extract::ConnectInfo};
use hooks_sdk::{
    Collected, Hooked, Policy,
    core::Registry,
    http::{HeaderHooks, Principal},
    plugin::{HttpHeaders, PluginHook},
};
use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::{Bytes, Incoming},
    http::request::Parts,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use rmcp::{
    RoleServer, ServerHandler,
    service::RequestContext,
    tool, tool_handler, tool_router,
    transport::streamable_http_server::{
        StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
    },
};
use serde_json::{Value, json};
use tokio::{
    net::{TcpListener, TcpStream},
    time::timeout,
};
use tower::{Layer, ServiceExt};

/// A server whose tool says which headers it received.
#[derive(Clone, Default)]
pub(crate) struct Desk {
    pub(crate) ran: Arc<AtomicUsize>,
}

impl Desk {
    pub(crate) fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }
}

#[tool_router]
impl Desk {
    /// Returns the headers of its request.
    #[tool]
    async fn headers(&self, cx: RequestContext<RoleServer>) -> String {
        self.ran.fetch_add(1, Ordering::SeqCst);
        let parts = cx.extensions.get::<Parts>().expect("an HTTP request");
        json!(texts(&parts.headers)).to_string()
    }
}

#[tool_handler]
impl ServerHandler for Desk {}

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
    desk: &Desk,
    hooks: impl IntoIterator<Item = PluginHook>,
    policy: Policy,
) -> Hooked<Desk> {
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
    hooked: Hooked<Desk>,
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
    desk: &Desk,
    serving: Serving,
    hooks: impl IntoIterator<Item = PluginHook>,
    policy: Policy,
) -> SocketAddr {
    let hooked = hooked(desk, hooks, policy);
    let layer = HeaderHooks::of(&hooked);
    serve(hooked, serving, layer, |_| ()).await
}

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const STATELESS: &str = "2026-07-28";

/// A client; each of its requests has a connection of its own.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    version: &'static str,
    headers: Vec<(String, String)>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The message with a result or an error, or the whole body if it is JSON.
    pub(crate) message: Value,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The headers that the tool received.
    pub(crate) fn received(&self) -> Value {
        let text = &self.message["result"]["content"][0]["text"];
        serde_json::from_str(text.as_str().unwrap_or_else(|| panic!("{self:?}"))).expect("JSON")
    }
}

impl Client {
    pub(crate) fn stateless(address: SocketAddr) -> Client {
        Client {
            address,
            version: STATELESS,
            headers: Vec::new(),
        }
    }

    /// A client of the older generation, after its handshake if the server has sessions.
    pub(crate) async fn legacy(address: SocketAddr, serving: Serving) -> Client {
        let client = Client {
            version: LEGACY,
            ..Client::stateless(address)
        };
        if serving == Serving::Json {
            return client;
        }
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": LEGACY,
            "capabilities": {},
            "clientInfo": {"name": "client", "version": "1"},
        }});
        let answer = client.post(&hello).await;
        assert_eq!(answer.status, StatusCode::OK, "{answer:?}");
        let session = answer
            .header("mcp-session-id")
            .expect("a session")
            .to_owned();
        let client = client.with("mcp-session-id", session);
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(client.post(&ready).await.status, StatusCode::ACCEPTED);
        client
    }

    /// A client of each generation.
    pub(crate) async fn both(address: SocketAddr, serving: Serving) -> [Client; 2] {
        [
            Client::legacy(address, serving).await,
            Client::stateless(address),
        ]
    }

    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Client {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Calls the tool.
    pub(crate) async fn call(&self) -> Answer {
        self.call_with(json!({})).await
    }

    /// Calls the tool with more members in its params.
    pub(crate) async fn call_with(&self, more: Value) -> Answer {
        let mut client = self.clone().with("mcp-protocol-version", self.version);
        let mut params = json!({"name": "headers", "arguments": {}});
        let more = more.as_object().cloned().unwrap_or_default();
        params.as_object_mut().expect("params").extend(more);
        if self.version == STATELESS {
            client = client
                .with("mcp-method", "tools/call")
                .with("mcp-name", "headers");
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": self.version,
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            });
        }
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        client.post(&call).await
    }

    async fn post(&self, message: &Value) -> Answer {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri("/mcp")
            .header("host", self.address.to_string())
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let request = request.body(Full::new(Bytes::from(message.to_string())));
        let answer = self.send(request.expect("a request"));
        timeout(Duration::from_secs(30), answer)
            .await
            .expect("an answer in time")
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        let stream = TcpStream::connect(self.address).await.expect("a server");
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .expect("HTTP");
        tokio::spawn(connection);
        let response = sender.send_request(request).await.expect("a response");
        let (head, body) = response.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        let body = String::from_utf8(body.to_vec()).expect("text");
        let of = |line: &str| serde_json::from_str::<Value>(line).ok();
        let events = body.lines().filter_map(|line| line.strip_prefix("data:"));
        let mut messages = events
            .filter_map(of)
            .filter(|message| message.get("id").is_some());
        let message = of(&body).or_else(|| messages.next()).unwrap_or_default();
        Answer {
            status: head.status,
            headers: head.headers,
            message,
        }
    }
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
