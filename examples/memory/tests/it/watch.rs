//! The options of `serve` that watch the tools, as a client meets them.

use std::{path::Path, process::Stdio};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines},
    process::{Child, ChildStdin, ChildStdout, Command},
};

use crate::place::database;

/// A client of the program, with a user who answers `confirm`.
struct Client {
    _server: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    user: Option<bool>,
    /// What the user was asked.
    asked: Vec<String>,
    next: u64,
}

impl Client {
    async fn of(database: &Path, options: &[&str], user: Option<bool>) -> Client {
        let mut server = Command::new(env!("CARGO_BIN_EXE_memory-server"))
            .args(["serve"])
            .args(options)
            .env("MEMORY_DATABASE", database)
            .env("USER", "kim")
            .env_remove("CLAUDE_CODE_SESSION_ID")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let input = server.stdin.take().unwrap();
        let lines = BufReader::new(server.stdout.take().unwrap()).lines();
        let mut client = Client {
            _server: server,
            input,
            lines,
            user,
            asked: Vec::new(),
            next: 0,
        };
        let capabilities = if user.is_some() {
            json!({"elicitation": {}})
        } else {
            json!({})
        };
        let who = json!({"name": "test", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": who});
        client.request("initialize", hello).await;
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        client.call("session_init", json!({})).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        self.input
            .write_all(format!("{message}\n").as_bytes())
            .await
            .unwrap();
    }

    /// Sends a request, and answers the server's questions until its response is there.
    async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .await;
        loop {
            let line = self.lines.next_line().await.unwrap().expect("a line");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == "elicitation/create" {
                self.asked
                    .push(message["params"]["message"].as_str().unwrap().to_owned());
                let result = match self.user {
                    Some(yes) => json!({"action": "accept", "content": {"confirm": yes}}),
                    None => json!({"action": "decline"}),
                };
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
                    .await;
            } else if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    /// Calls a tool; returns the first text, and whether it is an error.
    async fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let result = self
            .request("tools/call", json!({"name": tool, "arguments": arguments}))
            .await;
        let text = result["content"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        (text, result["isError"] == true)
    }

    async fn stores(&mut self, content: &str) -> String {
        let memory = json!({"project": "shop", "content": content, "tags": ["till"]});
        let (text, is_error) = self.call("store_memory", memory).await;
        assert!(!is_error, "{text}");
        let (_, rest) = text.split_once("ID: ").expect("an ID");
        rest.chars().take(36).collect()
    }

    async fn deletes(&mut self, id: &str) -> (String, bool) {
        self.call("delete_memory", json!({"project": "shop", "memory_id": id}))
            .await
    }
}

#[tokio::test]
async fn the_user_decides_whether_a_memory_is_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder, "m.db");
    let mut client = Client::of(&database, &["--confirm"], Some(false)).await;
    let id = client.stores("the till closes at six").await;
    let (text, is_error) = client.deletes(&id).await;
    assert!(is_error);
    assert_eq!(
        text,
        "the user said no, so `delete_memory` did not run: ask the user what to do instead [not_confirmed]"
    );
    let asked = format!("Run `delete_memory` with memory_id = \"{id}\", project = \"shop\"?");
    let other = format!("Run `delete_memory` with project = \"shop\", memory_id = \"{id}\"?");
    assert!(
        client.asked == [asked] || client.asked == [other],
        "{:?}",
        client.asked
    );
    client.user = Some(true);
    let (text, is_error) = client.deletes(&id).await;
    assert!(!is_error, "{text}");
}

#[tokio::test]
async fn a_client_that_cannot_ask_deletes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder, "m.db");
    let mut client = Client::of(&database, &["--confirm"], None).await;
    let id = client.stores("the till closes at six").await;
    let (text, is_error) = client.deletes(&id).await;
    assert!(
        is_error && text.contains("[elicitation_unsupported]"),
        "{text}"
    );
    let mut unwatched = Client::of(&database, &[], None).await;
    let (text, is_error) = unwatched.deletes(&id).await;
    assert!(!is_error, "{text}");
}

#[tokio::test]
async fn what_is_read_is_redacted() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder, "m.db");
    let mut client = Client::of(&database, &["--redact"], None).await;
    let id = client
        .stores("Kim's IBAN is DE89 3704 0044 0532 0130 00")
        .await;
    let read = json!({"project": "shop", "memory_ids": [id]});
    let (text, _) = client.call("expand_memories", read).await;
    assert!(text.contains("Kim's IBAN is [REDACTED]"), "{text}");
}

#[tokio::test]
async fn calls_beyond_the_limit_are_told_when_to_try_again() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder, "m.db");
    let mut client = Client::of(&database, &["--rate-limit", "2"], None).await;
    let topics = json!({"project": "shop"});
    for _ in 0..2 {
        assert!(!client.call("list_topics", topics.clone()).await.1);
    }
    let (text, is_error) = client.call("list_topics", topics).await;
    assert!(
        is_error && text.contains("try again in ") && text.ends_with("[rate_limited]"),
        "{text}"
    );
}

#[tokio::test]
async fn every_call_has_a_line_without_its_contents() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder, "m.db");
    let file = folder.path().join("log.jsonl");
    let options = ["--confirm", "--log", file.to_str().unwrap()];
    let mut client = Client::of(&database, &options, Some(false)).await;
    let id = client.stores("the till closes at six").await;
    assert!(client.deletes(&id).await.1);
    let is_decision = |line: &Value| line["kind"] == "decision";
    // Nobody waits for the line after a call.
    let (text, lines) = loop {
        let text = std::fs::read_to_string(&file).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let lines: Vec<Value> = lines.filter(is_decision).collect();
        if lines.len() == 3 {
            break (text, lines);
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    };
    let read = |member: &str| -> Vec<&Value> { lines.iter().map(|line| &line[member]).collect() };
    assert_eq!(
        read("item"),
        ["session_init", "store_memory", "delete_memory"]
    );
    assert_eq!(read("ended"), ["answered", "answered", "refused"]);
    assert_eq!(read("user"), ["kim", "kim", "kim"]);
    let refused = &lines[2];
    assert_eq!(
        (&refused["rule"], &refused["code"]),
        (&json!("confirm"), &json!("not_confirmed"))
    );
    assert_eq!(
        (&refused["decision"], &refused["posture"]),
        (&json!("denied"), &json!("deny"))
    );
    assert!(!text.contains("till") && !text.contains(&id), "{text}");
}

#[tokio::test]
async fn a_call_that_cannot_be_logged_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder, "m.db");
    let file = folder.path().join("missing/log.jsonl");
    let mut client = Client::of(&database, &["--log", file.to_str().unwrap()], None).await;
    let (text, is_error) = client.call("list_topics", json!({"project": "shop"})).await;
    assert!(is_error && text.contains("[log_unavailable]"), "{text}");
}
