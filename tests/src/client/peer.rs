//! A client of either generation, on a stream or over HTTP. It chooses the ids of its requests.

use std::time::Duration;

use hooks_sdk::{Hooked, WireTransport, http, rmcp::ServerHandler};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
        duplex, split,
    },
    time::timeout,
};

use super::{Client, LEGACY, PATIENCE, STATELESS};
use crate::toy_server;

/// Longer than any test moves the clock.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

/// A carrier and a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Lines, with a handshake.
    StreamLegacy,
    /// Lines, each request alone.
    StreamStateless,
    /// HTTP, in a session.
    HttpLegacy,
    /// HTTP, each request alone.
    HttpStateless,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [
        Kind::StreamLegacy,
        Kind::StreamStateless,
        Kind::HttpLegacy,
        Kind::HttpStateless,
    ];

    /// Whether the server can ask its client.
    pub fn is_asked(self) -> bool {
        matches!(self, Kind::StreamLegacy | Kind::HttpLegacy)
    }
}

/// A client of one kind.
#[derive(Debug)]
pub enum Peer {
    /// On a stream.
    Stream(Box<Stream>),
    /// Over HTTP.
    Http(Client),
}

fn capabilities() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {}, "sampling": {}})
}

impl Peer {
    /// A client of a server that it starts.
    pub async fn of<H: ServerHandler>(kind: Kind, hooked: Hooked<H>) -> Peer {
        match kind {
            Kind::StreamLegacy => Peer::Stream(Stream::legacy(hooked).await.into()),
            Kind::StreamStateless => Peer::Stream(Stream::stateless(hooked).into()),
            Kind::HttpLegacy | Kind::HttpStateless => {
                // rmcp sends its keep-alives by another clock, and one after the other if tokio's is ahead.
                let server = http::Server::new(hooked).keep_alive(LONG);
                let address = toy_server::serve(server).await;
                Peer::Http(match kind {
                    Kind::HttpLegacy => Client::of(LEGACY, address, capabilities()).await.0,
                    _ => Client::stateless(address).capable(capabilities()),
                })
            }
        }
    }

    /// The same client, on a clock of a test that runs ahead.
    #[must_use]
    pub fn without_patience(self) -> Peer {
        match self {
            Peer::Stream(stream) => Peer::Stream(stream.without_patience().into()),
            Peer::Http(client) => Peer::Http(Client {
                patience: LONG,
                ..client
            }),
        }
    }

    /// Sends a request; every message up to its answer. What the server asks meanwhile is answered with `reply`.
    pub async fn all_replying(
        &mut self,
        method: &str,
        params: Value,
        reply: Option<&Value>,
    ) -> Vec<Value> {
        let client = match self {
            Peer::Stream(stream) => return stream.all(method, params, reply).await,
            Peer::Http(client) => client,
        };
        let mut answer = client.request(method, params).await;
        let mut all = Vec::new();
        while let Some(message) = answer.next().await {
            if let (Some(reply), true) = (reply, is_question(&message)) {
                client.respond(&message["id"], reply.clone()).await;
            }
            all.push(message);
        }
        all
    }

    /// Sends a request; every message up to its answer.
    pub async fn all(&mut self, method: &str, params: Value) -> Vec<Value> {
        self.all_replying(method, params, None).await
    }

    /// Sends a request; its answer.
    pub async fn answer(&mut self, method: &str, params: Value) -> Value {
        let all = self.all(method, params).await;
        all.into_iter().next_back().expect("an answer")
    }

    /// Calls a tool without arguments; the answer.
    pub async fn call(&mut self, tool: &str) -> Value {
        let params = json!({"name": tool, "arguments": {}});
        self.answer("tools/call", params).await
    }

    /// Sends a notification.
    pub async fn notify(&mut self, method: &str, params: Value) {
        match self {
            Peer::Stream(stream) => stream.notify(method, params).await,
            Peer::Http(client) => client.notify(method, params).await,
        }
    }
}

fn is_question(message: &Value) -> bool {
    message["method"].is_string() && !message["id"].is_null()
}

/// A client on a stream of lines.
#[derive(Debug)]
pub struct Stream {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    is_stateless: bool,
    last: u64,
    patience: Duration,
}

impl Stream {
    /// The client's end of a stream.
    pub fn of(ours: DuplexStream, is_stateless: bool) -> Stream {
        let (read, write) = split(ours);
        Stream {
            lines: BufReader::new(read).lines(),
            write,
            is_stateless,
            last: 1000,
            patience: PATIENCE,
        }
    }

    /// The client of a server that it starts, which has said nothing yet.
    pub fn serve<H: ServerHandler>(hooked: Hooked<H>, is_stateless: bool) -> Stream {
        let (ours, theirs) = duplex(64 * 1024);
        let (read, write) = split(theirs);
        let serving = hooked.serve(WireTransport::new(read, write));
        tokio::spawn(async move {
            let running = serving.await.expect("a handshake");
            running.waiting().await.expect("no panic")
        });
        Stream::of(ours, is_stateless)
    }

    /// A client of 2026-07-28.
    pub fn stateless<H: ServerHandler>(hooked: Hooked<H>) -> Stream {
        Stream::serve(hooked, true)
    }

    /// A client of the older generation, after its handshake.
    pub async fn legacy<H: ServerHandler>(hooked: Hooked<H>) -> Stream {
        let mut stream = Stream::serve(hooked, false);
        stream.shake_hands().await;
        stream
    }

    /// The same client, on a clock of a test that runs ahead.
    #[must_use]
    pub fn without_patience(self) -> Stream {
        Stream {
            patience: LONG,
            ..self
        }
    }

    /// Opens the session. Returns the answer to the handshake.
    pub async fn shake_hands(&mut self) -> Value {
        let params = json!({
            "protocolVersion": LEGACY,
            "capabilities": capabilities(),
            "clientInfo": {"name": "client", "version": "1"},
        });
        self.send(Some(0), "initialize", params).await;
        let answer = self.next().await;
        self.send(None, "notifications/initialized", json!({}))
            .await;
        answer
    }

    /// Sends a message: a request with an id, or a notification.
    pub async fn send(&mut self, id: Option<u64>, method: &str, mut params: Value) {
        if self.is_stateless {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = STATELESS.into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities();
        }
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = id.into();
        }
        self.write(&message).await;
    }

    /// Sends a message as it is.
    pub async fn write(&mut self, message: &Value) {
        self.write_line(&message.to_string()).await;
    }

    /// Sends a line as it is.
    pub async fn write_line(&mut self, line: &str) {
        let line = format!("{line}\n");
        let written = self.write.write_all(line.as_bytes()).await;
        written.expect("a reader");
    }

    /// Sends a notification.
    pub async fn notify(&mut self, method: &str, params: Value) {
        self.send(None, method, params).await;
    }

    /// Sends a request with an id of its own. Returns the id.
    pub async fn request(&mut self, method: &str, params: Value) -> u64 {
        let id = self.last;
        self.last += 1;
        self.send(Some(id), method, params).await;
        id
    }

    /// Sends a request; every message up to its answer. What the server asks meanwhile is answered with `reply`.
    pub async fn all(&mut self, method: &str, params: Value, reply: Option<&Value>) -> Vec<Value> {
        let id = self.request(method, params).await;
        let mut all = Vec::new();
        loop {
            let message = self.next().await;
            if let (Some(reply), true) = (reply, is_question(&message)) {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": reply});
                self.write(&answer).await;
            }
            let is_answer = message["id"] == id && message.get("method").is_none();
            all.push(message);
            if is_answer {
                return all;
            }
        }
    }

    /// Sends a request; its answer.
    pub async fn answer(&mut self, method: &str, params: Value) -> Value {
        let all = self.all(method, params, None).await;
        all.into_iter().next_back().expect("an answer")
    }

    /// Returns the next message.
    pub async fn next(&mut self) -> Value {
        serde_json::from_str(&self.line().await).expect("JSON")
    }

    /// Returns the next line.
    pub async fn line(&mut self) -> String {
        self.last_line().await.expect("a message")
    }

    async fn last_line(&mut self) -> Option<String> {
        let line = timeout(self.patience, self.lines.next_line()).await;
        line.expect("a message in time").expect("a stream")
    }

    /// Ends the client's side; the messages until the end.
    pub async fn rest(mut self) -> Vec<Value> {
        self.write.shutdown().await.expect("a reader");
        let mut rest = Vec::new();
        while let Some(line) = self.last_line().await {
            rest.push(serde_json::from_str(&line).expect("JSON"));
        }
        rest
    }
}
