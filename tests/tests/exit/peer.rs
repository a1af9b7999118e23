//! A client of either generation, on a stream or over HTTP. It chooses the ids of its requests.

use std::time::Duration;

use hooks_sdk::{Hooked, WireTransport, http};
use hooks_tests::{
    client::{Client, LEGACY, STATELESS},
    toy_server,
};
use serde_json::{Value, json};
use tokio::{
    io::{
        AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
        duplex, split,
    },
    time::timeout,
};

use crate::desk::Desk;

/// No test waits longer for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Longer than any test moves the clock.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    StreamLegacy,
    StreamStateless,
    HttpLegacy,
    HttpStateless,
}

pub(crate) const ALL: [Kind; 4] = [
    Kind::StreamLegacy,
    Kind::StreamStateless,
    Kind::HttpLegacy,
    Kind::HttpStateless,
];

pub(crate) enum Peer {
    Stream(Box<Stream>),
    Http(Client),
}

fn capabilities() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/tasks": {}}, "elicitation": {}, "sampling": {}})
}

impl Peer {
    pub(crate) async fn of(kind: Kind, hooked: Hooked<Desk>) -> Peer {
        match kind {
            Kind::StreamLegacy | Kind::StreamStateless => {
                let (ours, theirs) = duplex(64 * 1024);
                let (read, write) = split(theirs);
                let serving = hooked.serve(WireTransport::new(read, write));
                tokio::spawn(async move { serving.await.unwrap().waiting().await.unwrap() });
                let mut stream = Stream::of(ours, kind == Kind::StreamStateless);
                if kind == Kind::StreamLegacy {
                    stream.shake_hands().await;
                }
                Peer::Stream(stream.into())
            }
            _ => {
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
    pub(crate) fn without_patience(self) -> Peer {
        match self {
            Peer::Stream(mut stream) => {
                stream.patience = LONG;
                Peer::Stream(stream)
            }
            Peer::Http(mut client) => {
                client.patience = LONG;
                Peer::Http(client)
            }
        }
    }

    /// Sends a request; every message up to its answer.
    pub(crate) async fn all(&mut self, method: &str, params: Value) -> Vec<Value> {
        let mut all = Vec::new();
        match self {
            Peer::Stream(stream) => {
                let id = 1000 + stream.last;
                stream.last += 1;
                stream.send(Some(id), method, params).await;
                loop {
                    let message = stream.next().await;
                    let is_answer = message["id"] == id && message.get("method").is_none();
                    all.push(message);
                    if is_answer {
                        return all;
                    }
                }
            }
            Peer::Http(client) => {
                let mut answer = client.request(method, params).await;
                while let Some(message) = answer.next().await {
                    all.push(message);
                }
                all
            }
        }
    }

    /// Sends a request; its answer.
    pub(crate) async fn answer(&mut self, method: &str, params: Value) -> Value {
        let all = self.all(method, params).await;
        all.into_iter().next_back().expect("an answer")
    }

    pub(crate) async fn call(&mut self, tool: &str) -> Value {
        let params = json!({"name": tool, "arguments": {}});
        self.answer("tools/call", params).await
    }
}

pub(crate) struct Stream {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
    is_stateless: bool,
    last: u64,
    patience: Duration,
}

impl Stream {
    pub(crate) fn of(ours: DuplexStream, is_stateless: bool) -> Stream {
        let (read, write) = split(ours);
        Stream {
            lines: BufReader::new(read).lines(),
            write,
            is_stateless,
            last: 0,
            patience: PATIENCE,
        }
    }

    pub(crate) async fn shake_hands(&mut self) -> Value {
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

    pub(crate) async fn send(&mut self, id: Option<u64>, method: &str, mut params: Value) {
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

    pub(crate) async fn write(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.write.write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.line().await).unwrap()
    }

    pub(crate) async fn line(&mut self) -> String {
        let line = timeout(self.patience, self.lines.next_line()).await;
        let line = line.expect("a message in time").unwrap();
        line.expect("a message")
    }
}
