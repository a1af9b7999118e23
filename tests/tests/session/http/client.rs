//! An HTTP client that knows of MCP only what goes over the wire.

use std::{net::SocketAddr, time::Duration};

use http_body_util::{BodyExt, Full};
use hyper::{
    Method, Request, Response, StatusCode,
    body::{Bytes, Incoming},
    header::{ACCEPT, CONTENT_TYPE, HOST},
    http::request::Builder,
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{
    net::TcpStream,
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
    time::timeout,
};

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const STATELESS: &str = "2026-07-28";

/// A client at one address; each of its requests takes a connection of its own.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    version: &'static str,
    headers: Vec<(&'static str, String)>,
}

/// An answer, as far as a test looks at it.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) session: Option<String>,
    /// The message with a result or an error; `Null` when there is none.
    pub(crate) message: Value,
}

impl Client {
    /// A client of protocol 2026-07-28, which has nothing to say before its first call.
    pub(crate) fn stateless(address: SocketAddr) -> Client {
        Client {
            address,
            version: STATELESS,
            headers: Vec::new(),
        }
    }

    /// A client that says on every call who it is in the older way, and shakes no hands.
    pub(crate) fn without_handshake(address: SocketAddr) -> Client {
        Client {
            version: LEGACY,
            ..Client::stateless(address)
        }
    }

    /// A client of the older generation, after its handshake.
    pub(crate) async fn legacy(address: SocketAddr) -> Client {
        Client::shaking_hands(address, json!({})).await.0
    }

    /// As [`legacy`](Client::legacy), with capabilities; and what the server answered.
    pub(crate) async fn shaking_hands(address: SocketAddr, capabilities: Value) -> (Client, Value) {
        let mut client = Client::without_handshake(address);
        let answer = client
            .post(
                &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                    "protocolVersion": LEGACY,
                    "capabilities": capabilities,
                    "clientInfo": {"name": "client", "version": "1"},
                }}),
            )
            .await;
        assert_eq!(answer.message["result"]["protocolVersion"], LEGACY);
        client = client.with("mcp-session-id", answer.session.expect("a session"));
        client.notify("notifications/initialized", json!({})).await;
        (client, answer.message["result"].clone())
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        assert_eq!(self.post(&message).await.status, StatusCode::ACCEPTED);
    }

    /// The same client with one header more.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Client {
        self.headers.push((name, value.into()));
        self
    }

    /// The same client, at another server.
    pub(crate) fn at(&self, address: SocketAddr) -> Client {
        Client {
            address,
            ..self.clone()
        }
    }

    /// Calls a tool; the result.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Value {
        self.call_with(tool, arguments, json!({})).await
    }

    /// Calls a tool with more in its request's `_meta`; the result.
    pub(crate) async fn call_with(&self, tool: &str, arguments: Value, meta: Value) -> Value {
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let mut answer = self.request("tools/call", params).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.message);
        answer.message["result"].take()
    }

    pub(crate) async fn request(&self, method: &'static str, params: Value) -> Answer {
        let (client, request) = self.prepared(method, params);
        client.post(&request).await
    }

    /// Sends a request; the messages of the stream that answers it, as they come.
    #[allow(dead_code, reason = "not every program looks at more than the answer")]
    pub(crate) async fn open(
        &self,
        method: &'static str,
        params: Value,
    ) -> UnboundedReceiver<Value> {
        let (client, request) = self.prepared(method, params);
        let head = client
            .head(Method::POST, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json");
        let body = Full::new(Bytes::from(request.to_string()));
        let request = head.body(body).expect("a request");
        messages(client.begin(request).await.into_body())
    }

    fn prepared(&self, method: &'static str, mut params: Value) -> (Client, Value) {
        let mut client = self.clone().with("mcp-protocol-version", self.version);
        if self.version == STATELESS {
            client = client.with("mcp-method", method);
            if let Some(name) = params["name"].as_str() {
                client = client.with("mcp-name", name);
            }
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = self.version.into();
            let capabilities = &mut params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
            if capabilities.is_null() {
                *capabilities = json!({});
            }
        }
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        (client, request)
    }

    /// Ends the transport's session.
    pub(crate) async fn end(&self) {
        let request = self.head(Method::DELETE, "application/json");
        let request = request.body(Full::default()).expect("a request");
        let response = self.begin(request).await;
        assert!(response.status().is_success(), "{}", response.status());
    }

    /// Answers a request of the server's.
    pub(crate) async fn respond(&self, id: &Value, result: Value) {
        let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
        assert_eq!(self.post(&message).await.status, StatusCode::ACCEPTED);
    }

    /// Opens the session's own stream, on which the server asks and tells without having been asked.
    pub(crate) async fn listen(&self) -> UnboundedReceiver<Value> {
        let request = self.head(Method::GET, "text/event-stream");
        let request = request.body(Full::default()).expect("a request");
        messages(self.begin(request).await.into_body())
    }

    fn head(&self, method: Method, accept: &str) -> Builder {
        let mut request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header(HOST, self.address.to_string())
            .header(ACCEPT, accept);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        request
    }

    async fn post(&self, message: &Value) -> Answer {
        let request = self
            .head(Method::POST, "application/json, text/event-stream")
            .header(CONTENT_TYPE, "application/json");
        let body = Full::new(Bytes::from(message.to_string()));
        let request = request.body(body).expect("a request");
        timeout(Duration::from_secs(30), self.send(request))
            .await
            .expect("an answer in time")
    }

    async fn begin(&self, request: Request<Full<Bytes>>) -> Response<Incoming> {
        let stream = TcpStream::connect(self.address).await.expect("a server");
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .expect("HTTP");
        tokio::spawn(connection);
        sender.send_request(request).await.expect("a response")
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Answer {
        let (head, body) = self.begin(request).await.into_parts();
        let body = body.collect().await.expect("a whole body").to_bytes();
        let body = String::from_utf8(body.to_vec()).expect("text");
        let header = |name: &str| Some(head.headers.get(name)?.to_str().expect("text").to_owned());
        let stream = header("content-type").is_some_and(|kind| kind == "text/event-stream");
        Answer {
            status: head.status,
            session: header("mcp-session-id"),
            message: if stream {
                of_events(&body)
            } else {
                of_json(&body)
            },
        }
    }
}

/// The messages of a stream of events, as they come.
fn messages(mut body: Incoming) -> UnboundedReceiver<Value> {
    let (messages, heard) = unbounded_channel();
    tokio::spawn(async move {
        let mut line = Vec::new();
        while let Some(Ok(frame)) = body.frame().await {
            for byte in frame.into_data().unwrap_or_default() {
                if byte != b'\n' {
                    line.push(byte);
                    continue;
                }
                let data = line.strip_prefix(b"data:").unwrap_or_default();
                if let Ok(message) = serde_json::from_slice(data) {
                    _ = messages.send(message);
                }
                line.clear();
            }
        }
    });
    heard
}

fn of_json(body: &str) -> Value {
    serde_json::from_str(body).unwrap_or_default()
}

/// The answer among the events; there is one.
fn of_events(body: &str) -> Value {
    let data = body.lines().filter_map(|line| line.strip_prefix("data:"));
    let mut answers = data
        .map(of_json)
        .filter(|message| message.get("id").is_some());
    let answer = answers.next().unwrap_or_default();
    assert_eq!(answers.next(), None, "a second answer");
    answer
}

/// Whether a call of the guarded tool was let through.
pub(crate) fn passed(result: &Value) -> bool {
    let error = result["isError"].as_bool().expect("the result of a tool");
    assert_eq!(!error, text(result).contains("worked"), "{result}");
    !error
}

pub(crate) fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().expect("content");
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| block["text"].as_str())
        .collect();
    texts.join("\n")
}

/// The handle in the result of an opening tool.
pub(crate) fn handle(opened: &Value) -> &str {
    opened["_meta"]["hooks-sdk/session"]
        .as_str()
        .unwrap_or_else(|| panic!("no handle in {opened}"))
}
