//! A client that sends whole requests, and one that sends raw bytes.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, client::conn::http1::SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use super::keeper::PATIENCE;

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

    /// The JSON-RPC answer, which has the status 200.
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{self:?}");
        assert_eq!(self.header("content-type"), "application/json");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The decision.
    pub(crate) fn decision(&self) -> String {
        let answer = self.json();
        let decision = answer["result"]["decision"].as_str();
        decision.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The sentence of a refusal.
    pub(crate) fn refusal(&self) -> String {
        match serde_json::from_str::<Value>(&self.body) {
            Ok(message) => {
                assert_eq!(message["id"], Value::Null, "{message}");
                let sentence = message["error"]["message"].as_str();
                sentence.expect("a sentence").to_owned()
            }
            Err(_) => self.body.trim_end().to_owned(),
        }
    }
}

/// Makes the step of a tool's call.
pub(crate) fn step(tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": "steps/toolCallRequest", "params": {
        "context": {
            "agent": {
                "id": "a1", "name": "notes", "instructions": "Keep notes.", "version": "1",
                "provider": {"name": "Example", "url": "https://example.com"},
            },
            "session": {"id": "s1"},
            "turnId": "t1", "stepId": "p1", "timestamp": "2026-01-02T03:04:05.678Z",
        },
        "toolCallRequest": {"executionId": "e1", "toolId": tool, "inputs": []},
    }})
}

/// Makes a request to the path of the guardian, as this computer.
pub(crate) fn request(
    method: Method,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri("/aos");
    if !headers.iter().any(|(name, _)| *name == "host") {
        request = request.header("host", "localhost");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::new(body.into())).expect("a request")
}

/// Makes a POST of JSON.
pub(crate) fn post(body: impl Into<Bytes>, more: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let headers = [&[("content-type", "application/json")], more].concat();
    request(Method::POST, &headers, body)
}

/// Makes a request for a path.
pub(crate) fn get(path: &str, host: &str) -> Request<Full<Bytes>> {
    let request = Request::get(path).header("host", host);
    request.body(Full::default()).expect("a request")
}

/// Opens a connection.
pub(crate) async fn connect(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address).await.expect("a server");
    let (sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
        .await
        .expect("HTTP");
    tokio::spawn(connection);
    sender
}

/// Sends a request on a connection.
pub(crate) async fn on(
    sender: &mut SendRequest<Full<Bytes>>,
    request: Request<Full<Bytes>>,
) -> Answer {
    let response = timeout(PATIENCE, sender.send_request(request)).await;
    whole(response.expect("in time").expect("a response")).await
}

/// Sends a request on a connection of its own.
pub(crate) async fn ask(address: SocketAddr, request: Request<Full<Bytes>>) -> Answer {
    on(&mut connect(address).await, request).await
}

/// Asks about the call of a tool.
pub(crate) async fn ask_about(address: SocketAddr, tool: &str) -> Answer {
    ask(address, post(step(tool).to_string(), &[])).await
}

/// Sends requests at once on one connection of HTTP/2, without HTTP/1.1 before it.
pub(crate) async fn ask_http2(
    address: SocketAddr,
    requests: Vec<Request<Full<Bytes>>>,
) -> Vec<Answer> {
    let stream = TcpStream::connect(address).await.expect("a server");
    let io = TokioIo::new(stream);
    let (sender, connection) = hyper::client::conn::http2::handshake(TokioExecutor::new(), io)
        .await
        .expect("HTTP/2");
    tokio::spawn(connection);
    let asking = requests.into_iter().map(|request| {
        let mut sender = sender.clone();
        async move {
            let (mut parts, body) = request.into_parts();
            // The authority takes the place of `Host`.
            let host = parts.headers.remove("host").expect("a host");
            let uri = format!("http://{}{}", host.to_str().expect("text"), parts.uri);
            parts.uri = uri.parse().expect("a URI");
            sender.ready().await.expect("a connection");
            let sent = sender.send_request(Request::from_parts(parts, body));
            let response = timeout(PATIENCE, sent).await.expect("in time");
            whole(response.expect("a response")).await
        }
    });
    futures::future::join_all(asking).await
}

async fn whole(response: Response<Incoming>) -> Answer {
    let (head, body) = response.into_parts();
    let body = timeout(PATIENCE, body.collect()).await.expect("in time");
    let body = body.expect("a whole body").to_bytes();
    Answer {
        status: head.status,
        headers: head.headers,
        body: String::from_utf8(body.to_vec()).expect("text"),
    }
}

/// A connection that sends what a test writes.
pub(crate) struct Raw(TcpStream);

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
        "POST /aos HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n{more}"
    )
}
