//! A tool that panics: what its client gets, with hooks and from rmcp alone, as the README says.

use rmcp::{ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, duplex, split};

use crate::server::{Server, hooked};

/// The requests that a server answers, of one to a tool that panics and one to another tool.
async fn answered(server: impl ServerHandler) -> Vec<Value> {
    let (ours, theirs) = duplex(1 << 16);
    tokio::spawn(async move {
        if let Ok(running) = server.serve(split(theirs)).await {
            _ = running.waiting().await;
        }
    });
    let (read, mut write) = split(ours);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
    for message in [
        json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": "panics", "method": "tools/call", "params": {"name": "burst"}}),
        json!({"jsonrpc": "2.0", "id": "works", "method": "tools/call", "params": {"name": "hello"}}),
    ] {
        let line = format!("{message}\n");
        write.write_all(line.as_bytes()).await.unwrap();
    }
    write.shutdown().await.unwrap();
    let mut lines = BufReader::new(read).lines();
    let mut ids = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        ids.push(serde_json::from_str::<Value>(&line).unwrap()["id"].take());
    }
    ids.sort_by_key(Value::to_string);
    ids
}

#[tokio::test]
async fn a_tool_that_panics_is_answered_and_by_rmcp_alone_it_never_is() {
    assert_eq!(answered(hooked()).await, ["hello", "panics", "works"]);
    assert_eq!(answered(Server::new()).await, ["hello", "works"]);
}
