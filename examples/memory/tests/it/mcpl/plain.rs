//! A plain MCP host: every tool works as far as it can, and no word of MCPL goes over the wire.

use std::{
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use hooks_sdk::testing::{Side, TestHost};
use hooks_tests::client::{Client, text};
use memory_server::Memory;
use serde_json::json;

use super::{fresh, soon, store, until};
use crate::session::LEGACY;

#[tokio::test]
async fn a_plain_host_sees_nothing_of_mcpl() {
    let (_folder, path) = fresh();
    let server = Memory::new(store(&path)).hooked().unwrap();
    let builder = TestHost::builder().version(LEGACY).capabilities(json!({}));
    let host = builder.connect(server).await.unwrap();
    let handshake = host.handshake().to_string();
    assert!(!handshake.contains("mcpl"), "{handshake}");
    let call = async |tool: &str, arguments| host.call_tool(tool, arguments).await.unwrap();

    let merged = call("consolidate_memories", json!({ "project": "shop" })).await;
    let said = merged.text();
    assert!(said.contains("merging needs a client that speaks MCPL"));
    assert!(said.contains("help: write the text yourself"), "{said}");
    let set = soon(async |at| {
        let reminder = json!({ "project": "shop", "text": "follow up", "at": at });
        let set = call("remind_me", reminder).await;
        (!set.is_error()).then(|| set.text())
    });
    let (set, due) = set.await;
    assert!(set.contains("`list_reminders` shows what is due"), "{set}");
    for note in ["Buy milk", "Call Kim"] {
        call("note_add", json!({ "text": note })).await;
    }
    let notes = call("note_list", json!({})).await;
    assert_eq!(notes.text(), "2 notes:\n1. Buy milk\n2. Call Kim");
    until(due).await;
    let list = call("list_reminders", json!({ "project": "shop" })).await;
    assert!(list.text().contains(" (due) | ID: "), "{}", list.text());
    for frame in host.frames() {
        let message = frame.message;
        assert!(message.get("method").is_none() || frame.from == Side::Host);
        assert!(message["result"].get("state").is_none(), "{message}");
    }
}

/// Nothing but the database keeps the notes of plain clients, so they belong to the user.
#[tokio::test]
async fn users_over_http_have_notes_of_their_own() {
    let (_folder, path) = fresh();
    let mut process = Command::new(env!("CARGO_BIN_EXE_memory-server"))
        .args(["serve", "--http", "127.0.0.1:0"])
        .args(["--principal-header", "x-user"])
        .env("MEMORY_DATABASE", &path)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut said = lines.map(Result::unwrap);
    let address = said.find_map(|line| {
        let rest = line.strip_prefix("listening on http://")?;
        rest.strip_suffix("/mcp")?.parse().ok()
    });
    let client = Client::stateless(address.unwrap());
    let [kim, lee] = ["kim", "lee"].map(|user| client.clone().with("x-user", user));
    for (user, note) in [(&kim, "ask Kim's doctor"), (&lee, "tea")] {
        user.call("note_add", json!({ "text": note })).await;
        let listed = text(&user.call("note_list", json!({})).await);
        let own = format!("1 note:\n1. {note}");
        assert!(listed.starts_with(&own), "{listed}");
    }
    process.kill().unwrap();
    process.wait().unwrap();
}
