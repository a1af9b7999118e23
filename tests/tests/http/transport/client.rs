//! An HTTP client that sends the bytes of a test and reads an answer message by message.

use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use http_body_util::{BodyExt, Full};
use hyper::{
    HeaderMap, Method, Request, StatusCode,
    body::{Bytes, Incoming},
    header::{ACCEPT, CONTENT_TYPE, HOST},
};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const STATELESS: &str = "2026-07-28";

/// The id of the next request. Requests of one session that run at once need different ids.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// The longest wait for anything of a server, if a test needs no longer one.
const LONGEST: Duration = Duration::from_secs(30);

/// A client. Each of its requests takes a connection of its own.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) address: SocketAddr,
    pub(crate) version: &'static str,
    pub(crate) session: Option<String>,
    /// The longest wait for anything of the server.
    pub(crate) patience: Duration,
    capabilities: Value,
}

impl Client {
    /// A client of 2026-07-28.
    pub(crate) fn stateless(address: SocketAddr, capabilities: Value) -> Client {
        Client {
            address,
            version: STATELESS,
            session: None,
            patience: LONGEST,
            capabilities,
        }
    }

    /// A client of the older generation that has not introduced itself.
    pub(crate) fn stranger(address: SocketAddr) -> Client {
        Client {
            version: LEGACY,
            ..Client::stateless(address, json!({}))
        }
    }

    /// A client of the older generation, after its handshake, and the server's capabilities.
    pub(crate) async fn legacy(address: SocketAddr, capabilities: Value) -> (Client, Value) {
        let mut client = Client::stranger(address);
        let params = json!({
            "protocolVersion": LEGACY,
            "capabilities": capabilities,
            "clientInfo": {"name": "client", "version": "1"},
        });
        let mut answer = client.request("initialize", params).await;
        let session = answer.headers.get("mcp-session-id");
        client.session = session.map(|id| id.to_str().expect("text").to_owned());
        let mut message = answer.last().await;
        client.notify("notifications/initialized", json!({})).await;
        (client, message["result"]["capabilities"].take())
    }

    /// The client and the server's capabilities, on either generation.
    pub(crate) async fn of(
        version: &'static str,
        address: SocketAddr,
        capabilities: Value,
    ) -> (Client, Value) {
        if version == LEGACY {
            return Client::legacy(address, capabilities).await;
        }
        let client = Client::stateless(address, capabilities);
        let mut discovered = client.ask("server/discover", json!({})).await;
        (client, discovered["result"]["capabilities"].take())
    }

    /// The same client, at another server.
    pub(crate) fn at(&self, address: SocketAddr) -> Client {
        Client {
            address,
            ..self.clone()
        }
    }

    /// Sends a request. Returns as soon as the head of the response is there.
    pub(crate) async fn request(&self, method: &str, params: Value) -> Answer {
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let message = self.message(Some(id), method, params);
        let answer = self.post(&message.to_string()).await;
        Answer { id, ..answer }
    }

    /// Sends a request. Returns the last message of the answer.
    pub(crate) async fn ask(&self, method: &str, params: Value) -> Value {
        self.request(method, params).await.last().await
    }

    /// Calls a tool with more members in the params. Returns the result.
    pub(crate) async fn call(&self, tool: &str, more: Value) -> Value {
        self.start(tool, more).await.result().await
    }

    /// Begins a call of a tool. Returns as soon as the head of the response is there.
    pub(crate) async fn start(&self, tool: &str, more: Value) -> Answer {
        let mut params = json!({"name": tool, "arguments": {}});
        for (name, value) in more.as_object().expect("members") {
            params[name] = value.clone();
        }
        self.request("tools/call", params).await
    }

    pub(crate) async fn notify(&self, method: &str, params: Value) {
        let message = self.message(None, method, params);
        let answer = self.post(&message.to_string()).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED);
    }

    /// Answers a request of the server.
    pub(crate) async fn respond(&self, id: &Value, result: Value) -> StatusCode {
        let message = json!({"jsonrpc": "2.0", "id": id, "result": result});
        self.post(&message.to_string()).await.status
    }

    pub(crate) fn message(&self, id: Option<u64>, method: &str, mut params: Value) -> Value {
        if self.version == STATELESS && id.is_some() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = self.version.into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                self.capabilities.clone();
        }
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = id.into();
        }
        message
    }

    /// Posts a body as it is.
    pub(crate) async fn post(&self, body: &str) -> Answer {
        self.send(Method::POST, body.to_owned(), "application/json")
            .await
    }

    pub(crate) async fn send(&self, method: Method, body: String, kind: &str) -> Answer {
        let mut request = Request::builder()
            .uri("/mcp")
            .header(HOST, self.address.to_string())
            .header(ACCEPT, "application/json, text/event-stream")
            .header(CONTENT_TYPE, kind);
        let message: Value = serde_json::from_str(&body).unwrap_or_default();
        if message["method"] != "initialize" {
            request = request.header("mcp-protocol-version", self.version);
        }
        if let (STATELESS, Some(name)) = (self.version, message["method"].as_str()) {
            request = request.header("mcp-method", name);
            let params = &message["params"];
            let name = ["name", "uri", "taskId"]
                .iter()
                .find_map(|name| params[*name].as_str());
            if let Some(name) = name {
                request = request.header("mcp-name", name);
            }
        }
        if let Some(session) = &self.session {
            request = request.header("mcp-session-id", session);
        }
        let request = request.method(method).body(Full::new(Bytes::from(body)));
        let sending = async {
            let stream = TcpStream::connect(self.address).await.expect("a server");
            let (mut sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream))
                    .await
                    .expect("HTTP");
            tokio::spawn(connection);
            sender
                .send_request(request.expect("a request"))
                .await
                .expect("a response")
        };
        let response = timeout(self.patience, sending)
            .await
            .expect("a response in time");
        let (head, body) = response.into_parts();
        Answer {
            id: 0,
            patience: self.patience,
            status: head.status,
            headers: head.headers,
            body,
            text: String::new(),
            messages: VecDeque::new(),
        }
    }
}

/// A response, while it comes.
pub(crate) struct Answer {
    /// The id of the request.
    pub(crate) id: u64,
    patience: Duration,
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    text: String,
    messages: VecDeque<Value>,
}

impl Answer {
    fn is_stream(&self) -> bool {
        let kind = self.headers.get(CONTENT_TYPE);
        kind.is_some_and(|kind| kind == "text/event-stream")
    }

    /// Returns the next message. Returns `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        while self.messages.is_empty() {
            let frame = timeout(self.patience, self.body.frame())
                .await
                .expect("a message in time");
            let Some(frame) = frame else {
                return serde_json::from_str(&std::mem::take(&mut self.text)).ok();
            };
            let data = frame.expect("a whole body").into_data().unwrap_or_default();
            self.text.push_str(str::from_utf8(&data).expect("text"));
            if self.is_stream() {
                while let Some((event, rest)) = self.text.split_once("\n\n") {
                    let data = event.lines().filter_map(|line| line.strip_prefix("data:"));
                    let data: String = data.collect();
                    self.messages
                        .extend(serde_json::from_str::<Value>(&data).ok());
                    self.text = rest.to_owned();
                }
            }
        }
        self.messages.pop_front()
    }

    /// Returns the next message that is this request of the server.
    pub(crate) async fn until(&mut self, method: &str) -> Value {
        loop {
            let message = self.next().await.expect("a message");
            if message["method"] == method {
                return message;
            }
        }
    }

    /// Returns the answer, which is the last message.
    pub(crate) async fn last(&mut self) -> Value {
        let mut last = Value::Null;
        while let Some(message) = self.next().await {
            last = message;
        }
        last
    }

    /// Returns the result of the answer.
    pub(crate) async fn result(mut self) -> Value {
        let status = self.status;
        let mut answer = self.last().await;
        assert!(answer.get("result").is_some(), "{status}: {answer}");
        answer["result"].take()
    }

    /// Returns the whole text of the body.
    pub(crate) async fn text(mut self) -> String {
        while let Some(frame) = self.body.frame().await {
            let data = frame.expect("a whole body").into_data().unwrap_or_default();
            self.text.push_str(str::from_utf8(&data).expect("text"));
        }
        self.text
    }
}

/// Returns the JSON in the text of a tool's result.
pub(crate) fn told(result: &Value) -> Value {
    let text = result["content"][0]["text"].as_str();
    let text = text.unwrap_or_else(|| panic!("no text in {result}"));
    serde_json::from_str(text).unwrap_or_else(|_| text.into())
}
