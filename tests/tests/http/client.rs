//! A client that sends whole requests, and one that sends raw bytes.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::desk::PATIENCE;

pub(crate) const STATELESS: &str = "2026-07-28";
pub(crate) const LEGACY: &str = "2025-11-25";

/// The headers of every POST.
pub(crate) const POST: [(&str, &str); 2] = [
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
];

/// An answer as a test looks at it.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).expect(name);
        value.to_str().expect("text")
    }

    pub(crate) fn json(&self) -> Value {
        let events = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data:"));
        let mut texts = events.chain([&*self.body]);
        let message = texts.find_map(|text| serde_json::from_str(text).ok());
        message.unwrap_or_else(|| panic!("no JSON: {self:?}"))
    }

    /// The sentence of a refused POST.
    pub(crate) fn refusal(&self) -> String {
        let message = self.json();
        assert_eq!(message["jsonrpc"], "2.0");
        assert_eq!(message["id"], Value::Null);
        assert!(message["error"]["code"].is_i64(), "{message}");
        let sentence = message["error"]["message"].as_str().expect("a sentence");
        sentence.to_owned()
    }
}

/// Makes a request to the path of MCP.
pub(crate) fn request(
    method: Method,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri("/mcp");
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", "localhost");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::new(body.into())).expect("a request")
}

/// Makes a request for a path.
pub(crate) fn get(path: &str, host: &str) -> Request<Full<Bytes>> {
    let request = Request::get(path).header("host", host);
    request.body(Full::default()).expect("a request")
}

/// Makes a tool call of protocol 2026-07-28.
pub(crate) fn call(tool: &str, meta: Value, more: &[(&str, &str)]) -> Request<Full<Bytes>> {
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
    request(Method::POST, &headers, message.to_string())
}

/// Makes the first request of a client before 2026-07-28.
pub(crate) fn initialize() -> Request<Full<Bytes>> {
    let message = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": LEGACY, "capabilities": {},
        "clientInfo": {"name": "client", "version": "1"},
    }});
    request(Method::POST, &POST, message.to_string())
}

/// Opens a session, and returns its id.
pub(crate) async fn session(address: SocketAddr) -> String {
    let answer = ask(address, initialize()).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.header("mcp-session-id").to_owned()
}

/// Makes the request for a session's own stream.
pub(crate) fn listen(session: &str) -> Request<Full<Bytes>> {
    let headers = [
        ("accept", "text/event-stream"),
        ("mcp-protocol-version", LEGACY),
        ("mcp-session-id", session),
    ];
    request(Method::GET, &headers, "")
}

/// Sends a request, and returns the response without its body.
pub(crate) async fn begin(
    address: SocketAddr,
    request: Request<Full<Bytes>>,
) -> Response<Incoming> {
    let stream = TcpStream::connect(address).await.expect("a server");
    let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .expect("HTTP");
    tokio::spawn(connection);
    let response = timeout(PATIENCE, sender.send_request(request)).await;
    response.expect("in time").expect("a response")
}

/// Sends a request over HTTP/2, without HTTP/1.1 before it.
pub(crate) async fn begin_http2(
    address: SocketAddr,
    request: Request<Full<Bytes>>,
) -> Response<Incoming> {
    let stream = TcpStream::connect(address).await.expect("a server");
    let io = TokioIo::new(stream);
    let (mut sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), io)
        .await
        .expect("HTTP/2");
    tokio::spawn(connection);
    let (mut parts, body) = request.into_parts();
    // The authority takes the place of `Host`.
    let host = parts.headers.remove("host").expect("a host");
    let uri = format!("http://{}{}", host.to_str().expect("text"), parts.uri);
    parts.uri = uri.parse().expect("a URI");
    let request = Request::from_parts(parts, body);
    let response = timeout(PATIENCE, sender.send_request(request)).await;
    response.expect("in time").expect("a response")
}

pub(crate) async fn whole(response: Response<Incoming>) -> Answer {
    let (head, body) = response.into_parts();
    let body = timeout(PATIENCE, body.collect()).await.expect("in time");
    let body = body.expect("a whole body").to_bytes();
    Answer {
        status: head.status,
        headers: head.headers,
        body: String::from_utf8(body.to_vec()).expect("text"),
    }
}

/// Sends a request on a connection of its own.
pub(crate) async fn ask(address: SocketAddr, request: Request<Full<Bytes>>) -> Answer {
    whole(begin(address, request).await).await
}

/// The text that a tool answered.
pub(crate) fn said(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    let data = answer.body.lines().filter_map(|line| {
        let json = line.strip_prefix("data:").unwrap_or(line);
        serde_json::from_str::<Value>(json).ok()
    });
    let mut results = data.filter(|message| message.get("result").is_some());
    let result = results
        .next()
        .unwrap_or_else(|| panic!("no result: {answer:?}"));
    let text = &result["result"]["content"][0]["text"];
    text.as_str()
        .unwrap_or_else(|| panic!("{result}"))
        .to_owned()
}

/// A connection that sends what a test writes.
pub(crate) struct Raw(pub(crate) TcpStream);

impl Raw {
    pub(crate) async fn connect(address: SocketAddr) -> Raw {
        Raw(TcpStream::connect(address).await.expect("a server"))
    }

    /// Writes. A server that has closed the connection is no failure.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        self.0.write_all(bytes.as_ref()).await.is_ok()
    }

    /// Reads until the server closes the connection.
    pub(crate) async fn read(&mut self) -> String {
        let mut all = Vec::new();
        let mut some = [0; 4096];
        let reading = async {
            while let Ok(count @ 1..) = self.0.read(&mut some).await {
                all.extend_from_slice(&some[..count]);
            }
        };
        timeout(PATIENCE, reading).await.expect("the server closes");
        String::from_utf8_lossy(&all).into_owned()
    }
}

/// Sends raw bytes, and returns all that the server answers.
pub(crate) async fn raw(address: SocketAddr, bytes: impl AsRef<[u8]>) -> String {
    let mut raw = Raw::connect(address).await;
    raw.write(bytes).await;
    raw.read().await
}

/// The head of a raw POST, without an end.
pub(crate) fn head(more: &str) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\n{more}"
    )
}
