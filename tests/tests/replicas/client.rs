//! An HTTP client that sees the events of a stream one by one, with their ids.

use std::collections::VecDeque;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};

use crate::desk::{PATIENCE, Replica};

const VERSION: &str = "2025-11-25";

/// A session of a user.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) user: &'static str,
    pub(crate) session: String,
}

/// An answer without events.
#[derive(Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: String,
}

/// An event of a stream.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) message: Value,
}

/// A stream of events. Its connection breaks when it is dropped.
pub(crate) struct Events {
    pub(crate) status: StatusCode,
    body: Incoming,
    line: Vec<u8>,
    id: Option<String>,
    data: String,
    ready: VecDeque<Event>,
    _connection: Connection,
}

struct Connection(tokio::task::JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Client {
    /// Opens a session.
    pub(crate) async fn open(at: &Replica, user: &'static str) -> Client {
        let session = String::new();
        let mut client = Client { user, session };
        let (response, _connection) = client
            .send(
                at,
                Method::POST,
                &[],
                &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                    "protocolVersion": VERSION,
                    "capabilities": {"elicitation": {}},
                    "clientInfo": {"name": "client", "version": "1"},
                }}),
            )
            .await;
        assert_eq!(response.status(), 200);
        let id = &response.headers()["mcp-session-id"];
        client.session = id.to_str().expect("text").to_owned();
        timeout(PATIENCE, response.into_body().collect())
            .await
            .expect("in time")
            .expect("a body");
        let told = client
            .notify(at, "notifications/initialized", json!({}))
            .await;
        assert_eq!(told.status, 202);
        client
    }

    /// Begins a call of a tool.
    pub(crate) async fn start(&self, at: &Replica, id: u32, tool: &str) -> Events {
        let params = json!({"name": tool, "arguments": {}, "_meta": {"progressToken": id}});
        let message = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        self.events(self.send(at, Method::POST, &[], &message).await)
    }

    /// Calls a tool, and returns its text.
    pub(crate) async fn call(&self, at: &Replica, tool: &str) -> String {
        let mut events = self.start(at, 1, tool).await;
        assert_eq!(events.status, 200);
        text(&events.result().await)
    }

    /// Sends a message that has no answer, or that is refused.
    pub(crate) async fn post(&self, at: &Replica, message: &Value) -> Answer {
        answer(self.send(at, Method::POST, &[], message).await.0).await
    }

    pub(crate) async fn ping(&self, at: &Replica) -> Answer {
        self.post(at, &json!({"jsonrpc": "2.0", "id": 9, "method": "ping"}))
            .await
    }

    pub(crate) async fn notify(&self, at: &Replica, method: &str, params: Value) -> Answer {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        self.post(at, &message).await
    }

    /// Answers a question of the server.
    pub(crate) async fn respond(&self, at: &Replica, id: &Value, by: &str) -> Answer {
        let result = json!({"action": "accept", "content": {"by": by}});
        self.post(at, &json!({"jsonrpc": "2.0", "id": id, "result": result}))
            .await
    }

    pub(crate) async fn end(&self, at: &Replica) -> Answer {
        answer(self.send(at, Method::DELETE, &[], &Value::Null).await.0).await
    }

    /// Opens the session's own stream.
    pub(crate) async fn listen(&self, at: &Replica) -> Events {
        self.events(self.send(at, Method::GET, &[], &Value::Null).await)
    }

    /// Asks for the events after one.
    pub(crate) async fn resume(&self, at: &Replica, last: &str) -> Events {
        let last = [("last-event-id", last)];
        self.events(self.send(at, Method::GET, &last, &Value::Null).await)
    }

    fn events(&self, (response, connection): (Response<Incoming>, Connection)) -> Events {
        Events {
            status: response.status(),
            body: response.into_body(),
            line: Vec::new(),
            id: None,
            data: String::new(),
            ready: VecDeque::new(),
            _connection: connection,
        }
    }

    async fn send(
        &self,
        at: &Replica,
        method: Method,
        headers: &[(&str, &str)],
        message: &Value,
    ) -> (Response<Incoming>, Connection) {
        let accept = match method {
            Method::GET => "text/event-stream",
            _ => "application/json, text/event-stream",
        };
        let mut request = Request::builder()
            .method(method)
            .uri("/mcp")
            .header("host", "localhost")
            .header("accept", accept)
            .header("content-type", "application/json")
            .header("mcp-protocol-version", VERSION)
            .header("x-user", self.user);
        if !self.session.is_empty() {
            request = request.header("mcp-session-id", &self.session);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = if message.is_null() {
            String::new()
        } else {
            message.to_string()
        };
        let request = request
            .body(Full::new(Bytes::from(body)))
            .expect("a request");
        let stream = TcpStream::connect(at.address).await.expect("a server");
        let (mut sender, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .expect("HTTP");
        let connection = Connection(tokio::spawn(async move { _ = connection.await }));
        let response = timeout(PATIENCE, sender.send_request(request)).await;
        (response.expect("in time").expect("a response"), connection)
    }
}

async fn answer(response: Response<Incoming>) -> Answer {
    let status = response.status();
    let header = |headers: &HeaderMap, name: &str| {
        headers
            .get(name)
            .map(|value| value.to_str().expect("text").to_owned())
    };
    let retry_after = header(response.headers(), "retry-after");
    let body = timeout(PATIENCE, response.into_body().collect())
        .await
        .expect("in time");
    let body = body.expect("a body").to_bytes();
    Answer {
        status,
        retry_after,
        body: String::from_utf8(body.to_vec()).expect("text"),
    }
}

impl Events {
    /// Returns the next event with a message, or `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let frame = timeout(PATIENCE, self.body.frame())
                .await
                .expect("an event in time")?;
            let Ok(data) = frame.expect("a whole frame").into_data() else {
                continue;
            };
            for byte in data {
                match byte {
                    b'\n' => self.end_line(),
                    byte => self.line.push(byte),
                }
            }
        }
    }

    fn end_line(&mut self) {
        let line = String::from_utf8(std::mem::take(&mut self.line)).expect("text");
        if let Some(data) = line.strip_prefix("data:") {
            self.data.push_str(data.trim());
        } else if let Some(id) = line.strip_prefix("id:") {
            self.id = Some(id.trim().to_owned());
        } else if line.is_empty() {
            let (id, data) = (self.id.take(), std::mem::take(&mut self.data));
            if let Ok(message) = serde_json::from_str(&data) {
                self.ready.push_back(Event { id, message });
            }
        }
    }

    /// Waits for an event with this method.
    pub(crate) async fn until(&mut self, method: &str) -> Event {
        loop {
            let event = self.next().await.expect("an event");
            if event.message["method"] == method {
                return event;
            }
        }
    }

    /// Waits for the result of the call.
    pub(crate) async fn result(&mut self) -> Value {
        loop {
            let event = self.next().await.expect("an event");
            if event.message.get("method").is_none() {
                return event.message;
            }
        }
    }
}

/// The text of a tool's answer.
pub(crate) fn text(message: &Value) -> String {
    let text = message["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{message}")).to_owned()
}
