//! The client of the tests: of either generation of MCP and on each carrier, whole requests, and raw bytes.

mod answer;
mod exchange;
pub mod peer;
mod raw;

use std::{
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use bytes::Bytes;
use http::{Method, Request, StatusCode, request::Builder};
use http_body_util::Full;
use serde_json::{Value, json};

pub use answer::{Answer, Event, EventReader};
pub use exchange::{
    POST, Reply, ask, ask_http2, begin, begin_http2, call, connect, get, initialize, listen, on,
    request, said, session, whole,
};
pub use raw::{Raw, head, mcp_head, raw};

/// The protocol with sessions of the transport.
pub const LEGACY: &str = "2025-11-25";
/// The protocol in which each request stands alone.
pub const STATELESS: &str = "2026-07-28";

/// The longest wait for anything of a server, if a test needs no other.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The id of the next request. Requests of one session that run at once need different ids.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// A client of MCP at one address. Each of its requests takes a connection of its own.
#[derive(Clone, Debug)]
pub struct Client {
    /// Where the server listens.
    pub address: SocketAddr,
    /// [`LEGACY`] or [`STATELESS`].
    pub version: &'static str,
    /// The session of the transport.
    pub session: Option<String>,
    /// The longest wait for anything of the server.
    pub patience: Duration,
    capabilities: Value,
    headers: Vec<(String, String)>,
}

impl Client {
    /// A client of 2026-07-28.
    pub fn stateless(address: SocketAddr) -> Client {
        Client {
            address,
            version: STATELESS,
            session: None,
            patience: PATIENCE,
            capabilities: json!({}),
            headers: Vec::new(),
        }
    }

    /// A client of the older generation that has not introduced itself.
    pub fn stranger(address: SocketAddr) -> Client {
        Client {
            version: LEGACY,
            ..Client::stateless(address)
        }
    }

    /// A client of the older generation, after its handshake.
    pub async fn legacy(address: SocketAddr) -> Client {
        Client::stranger(address).shake_hands().await.0
    }

    /// A client of each generation.
    pub async fn both(address: SocketAddr) -> [Client; 2] {
        [Client::legacy(address).await, Client::stateless(address)]
    }

    /// A client of a generation with capabilities, and the server's capabilities.
    pub async fn of(
        version: &'static str,
        address: SocketAddr,
        capabilities: Value,
    ) -> (Client, Value) {
        let (client, mut result) = if version == LEGACY {
            let client = Client::stranger(address).capable(capabilities);
            client.shake_hands().await
        } else {
            let client = Client::stateless(address).capable(capabilities);
            let mut discovered = client.ask("server/discover", json!({})).await;
            (client, discovered["result"].take())
        };
        (client, result["capabilities"].take())
    }

    /// Opens the session of this client. Returns the client and the result of the handshake.
    pub async fn shake_hands(mut self) -> (Client, Value) {
        let params = json!({
            "protocolVersion": LEGACY,
            "capabilities": self.capabilities,
            "clientInfo": {"name": "client", "version": "1"},
        });
        let mut answer = self.request("initialize", params).await;
        let session = answer.header("mcp-session-id").map(str::to_owned);
        let mut message = answer.last().await;
        assert_eq!(message["result"]["protocolVersion"], LEGACY, "{message}");
        self.session = Some(session.expect("a session"));
        self.notify("notifications/initialized", json!({})).await;
        (self, message["result"].take())
    }

    /// The same client with these capabilities.
    #[must_use]
    pub fn capable(self, capabilities: Value) -> Client {
        Client {
            capabilities,
            ..self
        }
    }

    /// The same client with one header more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Client {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// The same client, at another server.
    #[must_use]
    pub fn at(&self, address: impl Into<SocketAddr>) -> Client {
        Client {
            address: address.into(),
            ..self.clone()
        }
    }

    /// Sends a request. Returns as soon as the head of the response is there.
    pub async fn request(&self, method: &str, params: Value) -> Answer {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let message = self.message(Some(id), method, params);
        let answer = self.post(&message.to_string()).await;
        Answer { id, ..answer }
    }

    /// Sends a request. Returns its answer; `null` if there is none.
    pub async fn ask(&self, method: &str, params: Value) -> Value {
        self.request(method, params).await.last().await
    }

    /// Begins a call of a tool with more members in its params. Returns as soon as the head of the response is there.
    pub async fn start(&self, tool: &str, more: Value) -> Answer {
        let mut params = json!({"name": tool, "arguments": {}});
        for (name, value) in more.as_object().expect("members") {
            params[name] = value.clone();
        }
        self.request("tools/call", params).await
    }

    /// Calls a tool. Returns the result.
    pub async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_with(tool, json!({"arguments": arguments})).await
    }

    /// Calls a tool with more members in its params. Returns the result.
    pub async fn call_with(&self, tool: &str, more: Value) -> Value {
        self.start(tool, more).await.result().await
    }

    /// Sends a notification, which the server accepts.
    pub async fn notify(&self, method: &str, params: Value) {
        let message = self.message(None, method, params);
        let answer = self.post(&message.to_string()).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
    }

    /// Answers a request of the server.
    pub async fn respond(&self, id: &Value, result: Value) -> StatusCode {
        let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
        self.post(&message.to_string()).await.status
    }

    /// Opens the session's own stream, on which the server sends what belongs to no request.
    pub async fn listen(&self) -> Answer {
        self.send(self.headed(Method::GET, &Value::Null), String::new())
            .await
    }

    /// Asks for the events after one.
    pub async fn resume(&self, last: &str) -> Answer {
        let request = self.headed(Method::GET, &Value::Null);
        self.send(request.header("last-event-id", last), String::new())
            .await
    }

    /// Ends the session of the transport.
    pub async fn end(&self) -> Reply {
        let request = self.headed(Method::DELETE, &Value::Null);
        self.send(request, String::new()).await.whole().await
    }

    /// Makes a message of this client.
    pub fn message(&self, id: Option<u64>, method: &str, mut params: Value) -> Value {
        if self.version == STATELESS && id.is_some() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = self.version.into();
            let capabilities = &mut params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
            if capabilities.is_null() {
                capabilities.clone_from(&self.capabilities);
            }
        }
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = id.into();
        }
        message
    }

    /// Posts a body as it is.
    pub async fn post(&self, body: &str) -> Answer {
        self.post_as("application/json", body).await
    }

    /// Posts a body as it is, with another content type.
    pub async fn post_as(&self, kind: &str, body: &str) -> Answer {
        let message = serde_json::from_str(body).unwrap_or_default();
        let mut request = self.headed(Method::POST, &message);
        let headers = request.headers_mut().expect("a request");
        headers.insert("content-type", kind.parse().expect("a content type"));
        self.send(request, body.to_owned()).await
    }

    fn headed(&self, method: Method, message: &Value) -> Builder {
        let session = self.session.as_deref();
        let mut request = mcp_request(method, self.version, session, message)
            .header("host", self.address.to_string());
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        request
    }

    async fn send(&self, request: Builder, body: String) -> Answer {
        let request = request.body(Full::new(Bytes::from(body)));
        let request = request.expect("a request");
        exchange::send(self.address, request, self.patience).await
    }
}

/// Begins a request to the path of MCP, with the headers that the protocol wants for a message. It has no `Host` yet.
pub fn mcp_request(
    method: Method,
    version: &str,
    session: Option<&str>,
    message: &Value,
) -> Builder {
    let accept = match method {
        Method::GET => "text/event-stream",
        _ => "application/json, text/event-stream",
    };
    let mut request = Request::builder()
        .method(method)
        .uri("/mcp")
        .header("accept", accept)
        .header("content-type", "application/json");
    if message["method"] != "initialize" {
        request = request.header("mcp-protocol-version", version);
    }
    if let (STATELESS, Some(method)) = (version, message["method"].as_str()) {
        request = request.header("mcp-method", method);
        let params = &message["params"];
        let mut names = ["name", "uri", "taskId"].iter();
        if let Some(name) = names.find_map(|name| params[*name].as_str()) {
            request = request.header("mcp-name", name);
        }
    }
    if let Some(session) = session {
        request = request.header("mcp-session-id", session);
    }
    request
}

/// Returns the text blocks of a result.
pub fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().expect("content");
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    texts.join("\n")
}

/// Returns the JSON in the text of a tool's result, or the text.
pub fn told(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("no text in {result}"));
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}
