//! A peer that speaks plain JSON-RPC lines to the server, so that tests see what a client sees.

use std::path::Path;

use hooks_sdk::WireTransport;
use memory_server::{
    Memory,
    store::{Options, Store},
};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

pub(crate) struct Peer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    out: WriteHalf<DuplexStream>,
    next: u64,
    /// The server's answer to `initialize`.
    pub(crate) welcome: Value,
}

/// What a tool answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) is_error: bool,
    pub(crate) text: String,
    pub(crate) structured: Value,
}

impl Answer {
    /// The ID in an answer of `store_memory`.
    #[track_caller]
    pub(crate) fn id(&self) -> String {
        assert!(!self.is_error, "{}", self.text);
        let (_, rest) = self.text.split_once("ID: ").expect("an ID");
        rest.chars().take(36).collect()
    }

    /// Asserts an error that names the trouble and the remedy.
    #[track_caller]
    pub(crate) fn refuses(&self, what: &str, help: &str) {
        assert!(self.is_error, "not an error: {}", self.text);
        assert!(
            self.text.contains(what),
            "{what:?} is not in {:?}",
            self.text
        );
        let (_, told) = self.text.split_once("\nhelp: ").expect("a help line");
        assert!(told.contains(help), "{help:?} is not in {told:?}");
    }
}

pub(crate) fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" }
        }
    })
}

impl Peer {
    /// A peer of the database at a path.
    pub(crate) async fn at(path: &Path) -> Self {
        Self::over(Memory::new(Store::open(path, Options::default()).unwrap())).await
    }

    /// A peer that has opened its session.
    pub(crate) async fn over(memory: Memory) -> Self {
        let mut peer = Self::met(memory).await;
        let opened = peer.call("session_init", json!({})).await;
        assert!(!opened.is_error, "{}", opened.text);
        peer
    }

    /// A peer that has shaken hands and no more.
    pub(crate) async fn met(memory: Memory) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let server = memory.hooked().unwrap();
        tokio::spawn(async move {
            let (read, write) = tokio::io::split(theirs);
            let running = server.serve(WireTransport::new(read, write)).await;
            running.unwrap().waiting().await
        });
        let (input, out) = tokio::io::split(ours);
        let mut peer = Self {
            lines: BufReader::new(input).lines(),
            out,
            next: 1,
            welcome: Value::Null,
        };
        peer.send(&initialize()).await;
        peer.welcome = peer.receive().await["result"].take();
        peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
            .await;
        peer
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.out.write_all(line.as_bytes()).await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("a line");
        serde_json::from_str(&line).unwrap()
    }

    /// Any request; returns the whole response.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        let response = self.receive().await;
        assert_eq!(response["id"], id);
        response
    }

    /// A tool call; a JSON-RPC error fails the test.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Answer {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut response = self.request("tools/call", params).await;
        let result = response["result"].take();
        assert!(result.is_object(), "{tool}: {response}");
        Answer {
            is_error: result["isError"] == true,
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            structured: result["structuredContent"].clone(),
        }
    }
}
