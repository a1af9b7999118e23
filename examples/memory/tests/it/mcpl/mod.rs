//! The server towards hosts of MCPL, and towards those that are none.

mod declared;
mod leaving;
mod merging;
mod notes;
mod plain;
mod reminders;
mod scoped;
mod shared;
mod silence;
mod turns;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use hooks_sdk::{
    mcpl::Position,
    testing::{McplHost, McplHostBuilder, ToolAnswer, mcpl::Turn},
};
use jiff::Timestamp;
use memory_server::{
    Memory,
    store::{Draft, Options, Query, Record, Scope, Store},
};
use serde_json::{Value, json};
use tempfile::TempDir;

fn fresh() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("memory.db");
    (folder, path)
}

fn store(path: &Path) -> Store {
    Store::open(path, Options::default()).unwrap()
}

/// A host that allows everything, whose agent has said nothing yet.
async fn met(builder: McplHostBuilder, path: &Path) -> McplHost {
    let server = Memory::new(store(path)).hooked().unwrap();
    builder.connect(server).await.unwrap()
}

/// A host whose agent has opened its session.
async fn opened(builder: McplHostBuilder, path: &Path) -> McplHost {
    let host = met(builder, path).await;
    let answer = call(&host, "session_init", json!({})).await;
    assert!(!answer.is_error(), "{answer:?}");
    host
}

async fn call(host: &McplHost, tool: &str, arguments: Value) -> ToolAnswer {
    host.call_tool(tool, arguments).await.unwrap()
}

async fn keep(path: &Path, project: &str, contents: &[&str]) {
    for content in contents {
        let draft = Draft::new(*content);
        store(path).store(project, draft).await.unwrap();
    }
}

/// The injection before the user's message of a turn.
async fn injected(host: &McplHost, turn: &Turn) -> String {
    let contribution = host.before_inference(turn).await;
    assert!(contribution.failure.is_none(), "{contribution:?}");
    assert!(contribution.rejected.is_empty(), "{contribution:?}");
    contribution.text_at(Position::BeforeUser)
}

/// Waits until something holds.
async fn eventually(holds: impl AsyncFn() -> bool) {
    for _ in 0..500 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("it never holds");
}

/// Every memory of a project, superseded ones too, the newest first.
async fn everything(store: &Store) -> Vec<Record> {
    found(store, None).await
}

/// Every memory that is a conversation's own, as `everything`.
async fn of_conversation(store: &Store, conversation: &str) -> Vec<Record> {
    let mut records = found(store, Some(&kept_as(conversation))).await;
    records.retain(|one| one.conversation.is_some());
    records
}

/// The name under which a conversation of these tests' host is kept.
fn kept_as(conversation: &str) -> String {
    format!("host:hooks-sdk testing host/{conversation}")
}

async fn found(store: &Store, conversation: Option<&str>) -> Vec<Record> {
    let mut query = Query::new("", "");
    query.scope = Scope::All;
    query.limit = 50;
    query.include_superseded = true;
    query.conversation = conversation.map(str::to_owned);
    let found = store.search(query).await.unwrap();
    found.hits.into_iter().map(|hit| hit.record).collect()
}

/// Sets a reminder that is due soon: later if a slow machine has let the time pass. Returns what was set, and when it is due.
async fn soon<T>(set: impl AsyncFn(String) -> Option<T>) -> (T, Timestamp) {
    for milliseconds in [100, 1_000, 10_000] {
        // As exact as it is kept.
        let due = Timestamp::now().as_millisecond() + milliseconds;
        let due = Timestamp::from_millisecond(due).unwrap();
        if let Some(set) = set(due.to_string()).await {
            return (set, due);
        }
    }
    panic!("no reminder can be set");
}

async fn until(moment: Timestamp) {
    let left = Duration::try_from(moment.duration_since(Timestamp::now()));
    tokio::time::sleep(left.unwrap_or_default()).await;
}

#[track_caller]
fn no_failures(host: &McplHost) {
    let failures = host.failures();
    assert!(failures.is_empty(), "{failures:?}");
}
