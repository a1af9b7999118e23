//! A client whose agent calls the tools.

use std::path::Path;

use hooks_sdk::testing::TestHost;
use memory_server::{
    Memory,
    store::{Options, Store},
};
use serde_json::{Value, json};

use crate::session::LEGACY;

pub(crate) struct Peer {
    pub(crate) host: TestHost,
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
        let text = &self.text;
        assert!(self.is_error, "not an error: {text}");
        assert!(text.contains(what), "{what:?} is not in {text:?}");
        let (_, told) = text.split_once("\nhelp: ").expect("a help line");
        assert!(told.contains(help), "{help:?} is not in {told:?}");
    }
}

/// The first message to a process.
pub(crate) fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0", "id": 0, "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" }
        }
    })
}

impl Peer {
    /// A peer of the database at a path.
    pub(crate) async fn at(path: &Path) -> Peer {
        Peer::over(Memory::new(Store::open(path, Options::default()).unwrap())).await
    }

    /// A peer that has opened its session.
    pub(crate) async fn over(memory: Memory) -> Peer {
        let peer = Peer::met(memory).await;
        let opened = peer.call("session_init", json!({})).await;
        assert!(!opened.is_error, "{}", opened.text);
        peer
    }

    /// A peer that has shaken hands and no more.
    pub(crate) async fn met(memory: Memory) -> Peer {
        let builder = TestHost::builder().version(LEGACY).capabilities(json!({}));
        let host = builder.connect(memory.hooked().unwrap()).await.unwrap();
        Peer { host }
    }

    /// The tools, as they are listed.
    pub(crate) async fn tools(&self) -> Vec<Value> {
        self.host.list_tools().await.unwrap()
    }

    /// A tool call; a JSON-RPC error fails the test.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Answer {
        let answer = self.host.call_tool(tool, arguments).await.unwrap();
        let result = answer.as_value();
        Answer {
            is_error: answer.is_error(),
            text: result["content"][0]["text"].as_str().unwrap().to_owned(),
            structured: result["structuredContent"].clone(),
        }
    }
}
