//! Whole requests and whole replies.

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::{
    body::Incoming,
    client::conn::{
        http1::{self, SendRequest},
        http2,
    },
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::{net::TcpStream, task::JoinHandle, time::timeout};

use super::{Answer, EventReader, LEGACY, PATIENCE, STATELESS};

/// The headers of every POST of MCP.
pub const POST: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
];

/// A whole response.
#[derive(Debug)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The text of the body.
    pub body: String,
}

impl Reply {
    /// Returns a header that is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    fn messages(&self) -> impl Iterator<Item = Value> {
        let events = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        events
            .chain([&*self.body])
            .filter_map(|text| serde_json::from_str(text).ok())
    }

    /// Returns the first message of the body.
    pub fn json(&self) -> Value {
        let message = self.messages().next();
        message.unwrap_or_else(|| panic!("no JSON: {self:?}"))
    }

    /// Returns the message with a result or an error, or the whole body if it is JSON; otherwise `null`.
    pub fn message(&self) -> Value {
        if let Ok(message) = serde_json::from_str(&self.body) {
            return message;
        }
        let mut messages = self.messages();
        let answer = messages.find(|message| message.get("id").is_some());
        answer.unwrap_or_default()
    }

    /// Returns the sentence of a refused POST.
    pub fn refusal(&self) -> String {
        let message = self.json();
        assert_eq!(message["jsonrpc"], "2.0");
        assert_eq!(message["id"], Value::Null);
        assert!(message["error"]["code"].is_i64(), "{message}");
        let sentence = message["error"]["message"].as_str().expect("a sentence");
        sentence.to_owned()
    }
}

/// Makes a request to a path.
pub fn request(
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri(path);
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", "localhost");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::new(body.into())).expect("a request")
}

/// Makes a GET of a path.
pub fn get(path: &str, host: &str) -> Request<Full<Bytes>> {
    request(Method::GET, path, &[("host", host)], "")
}

/// Makes a tool call of protocol 2026-07-28.
pub fn call(tool: &str, meta: Value, more: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let mut params = json!({"name": tool, "arguments": {}, "_meta": meta});
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = STATELESS.into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let own = [
        ("mcp-protocol-version", STATELESS),
        ("mcp-method", "tools/call"),
        ("mcp-name", tool),
    ];
    let headers = [&POST[..], &own, more].concat();
    request(Method::POST, "/mcp", &headers, message.to_string())
}

/// Makes the first request of a client before 2026-07-28.
pub fn initialize() -> Request<Full<Bytes>> {
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": LEGACY, "capabilities": {},
        "clientInfo": {"name": "client", "version": "1"},
    }});
    request(Method::POST, "/mcp", &POST, message.to_string())
}

/// Opens a session, and returns its id.
pub async fn session(address: SocketAddr) -> String {
    let reply = ask(address, initialize()).await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply
        .header("mcp-session-id")
        .expect("a session")
        .to_owned()
}

/// Makes the request for a session's own stream.
pub fn listen(session: &str) -> Request<Full<Bytes>> {
    let headers = [
        ("accept", "text/event-stream"),
        ("mcp-protocol-version", LEGACY),
        ("mcp-session-id", session),
    ];
    request(Method::GET, "/mcp", &headers, "")
}

/// The task of a connection. It ends when this is dropped.
#[derive(Debug)]
pub(super) struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn handshake(
    address: SocketAddr,
) -> (
    SendRequest<Full<Bytes>>,
    http1::Connection<TokioIo<TcpStream>, Full<Bytes>>,
) {
    let stream = TcpStream::connect(address).await.expect("a server");
    let io = TokioIo::new(stream);
    http1::handshake(io).await.expect("HTTP")
}

/// Sends a request on a connection of its own. Returns as soon as the head of the response is there.
pub(super) async fn send(
    address: SocketAddr,
    request: Request<Full<Bytes>>,
    patience: Duration,
) -> Answer {
    let sending = async {
        let (mut sender, connection) = handshake(address).await;
        let connection = Connection(tokio::spawn(async move { _ = connection.await }));
        let response = sender.send_request(request).await.expect("a response");
        (response, connection)
    };
    let sent = timeout(patience, sending).await;
    let (response, connection) = sent.expect("a response in time");
    let (head, body) = response.into_parts();
    Answer {
        id: 0,
        status: head.status,
        headers: head.headers,
        patience,
        body,
        text: Vec::new(),
        events: EventReader::default(),
        _connection: connection,
    }
}

/// Sends a request on a connection of its own. Returns as soon as the head of the response is there.
pub async fn begin(address: SocketAddr, request: Request<Full<Bytes>>) -> Answer {
    send(address, request, PATIENCE).await
}

/// Sends a request on a connection of its own.
pub async fn ask(address: SocketAddr, request: Request<Full<Bytes>>) -> Reply {
    begin(address, request).await.whole().await
}

/// Opens a connection for several requests.
pub async fn connect(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let (sender, connection) = handshake(address).await;
    tokio::spawn(connection);
    sender
}

/// Sends a request on an open connection.
pub async fn on(sender: &mut SendRequest<Full<Bytes>>, request: Request<Full<Bytes>>) -> Reply {
    let response = timeout(PATIENCE, sender.send_request(request)).await;
    whole(response.expect("in time").expect("a response")).await
}

/// Sends a request over HTTP/2, without HTTP/1.1 before it. Returns the response without its body.
pub async fn begin_http2(address: SocketAddr, request: Request<Full<Bytes>>) -> Response<Incoming> {
    send_http2(&connect_http2(address).await, request).await
}

/// Sends requests at once on one connection of HTTP/2.
pub async fn ask_http2(address: SocketAddr, requests: Vec<Request<Full<Bytes>>>) -> Vec<Reply> {
    let sender = &connect_http2(address).await;
    let asking = requests
        .into_iter()
        .map(async |request| whole(send_http2(sender, request).await).await);
    futures::future::join_all(asking).await
}

async fn connect_http2(address: SocketAddr) -> http2::SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address).await.expect("a server");
    let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .expect("HTTP/2");
    tokio::spawn(connection);
    sender
}

async fn send_http2(
    sender: &http2::SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
) -> Response<Incoming> {
    let (mut parts, body) = request.into_parts();
    // The authority takes the place of `Host`.
    let host = parts.headers.remove("host").expect("a host");
    let uri = format!("http://{}{}", host.to_str().expect("text"), parts.uri);
    parts.uri = uri.parse().expect("a URI");
    let mut sender = sender.clone();
    sender.ready().await.expect("a connection");
    let sent = sender.send_request(Request::from_parts(parts, body));
    let response = timeout(PATIENCE, sent).await.expect("in time");
    response.expect("a response")
}

/// Reads a response to its end.
pub async fn whole(response: Response<Incoming>) -> Reply {
    let (head, body) = response.into_parts();
    let body = timeout(PATIENCE, body.collect()).await.expect("in time");
    let body = body.expect("a whole body").to_bytes();
    Reply {
        status: head.status,
        headers: head.headers,
        body: String::from_utf8(body.to_vec()).expect("text"),
    }
}

/// Returns the text that a tool answered.
pub fn said(reply: &Reply) -> String {
    assert_eq!(reply.status, 200, "{reply:?}");
    let mut results = reply.messages();
    let result = results.find(|message| message.get("result").is_some());
    let result = result.unwrap_or_else(|| panic!("no result: {reply:?}"));
    let text = &result["result"]["content"][0]["text"];
    text.as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}
