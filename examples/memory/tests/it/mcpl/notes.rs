//! Notes that roll back with the conversation.

use std::{
    io::{self, Write},
    sync::{Arc, Mutex},
};

use hooks_sdk::testing::{
    McplHost, TestHost,
    mcpl::{HostCall, Returns},
};
use memory_server::{Memory, mcpl::NoteKeeping};
use serde_json::json;
use tracing_subscriber::{filter::dynamic_filter_fn, layer::SubscriberExt};

use super::{call, fresh, keep, no_failures, opened, store};
use crate::hooks::LEGACY;

async fn add(host: &McplHost, text: &str) -> String {
    let answer = call(host, "note_add", json!({ "text": text })).await;
    assert!(!answer.is_error(), "{answer:?}");
    answer.as_value()["state"]["checkpoint"]
        .as_str()
        .unwrap()
        .to_owned()
}

async fn listed(host: &McplHost) -> String {
    call(host, "note_list", json!({})).await.text()
}

#[tokio::test]
async fn notes_go_back_with_the_conversation_whatever_the_host_sends_along() {
    for returns in [Returns::State, Returns::Checkpoint, Returns::Nothing] {
        let (_folder, path) = fresh();
        let host = opened(McplHost::builder().returns(returns), &path).await;
        let first = add(&host, "Buy milk").await;
        let second = add(&host, "Call Kim").await;
        assert_eq!(listed(&host).await, "2 notes:\n1. Buy milk\n2. Call Kim");
        let kept = host.stored(NoteKeeping::NAME).unwrap();
        assert_eq!(
            (&kept.checkpoint, kept.parent.as_ref()),
            (&second, Some(&first))
        );
        assert_eq!(kept.data.unwrap()["notes"][1]["text"], "Call Kim");

        let rolled = host.rollback(NoteKeeping::NAME, &first).await.unwrap();
        assert!(rolled.success, "{rolled:?}");
        assert_eq!(listed(&host).await, "1 note:\n1. Buy milk");
        // A branch from there; the other one is still known.
        let third = add(&host, "Water the plants").await;
        let branch = host.stored(NoteKeeping::NAME).unwrap();
        assert_eq!(
            (&branch.checkpoint, branch.parent.as_ref()),
            (&third, Some(&first))
        );
        host.rollback(NoteKeeping::NAME, &second).await.unwrap();
        assert_eq!(listed(&host).await, "2 notes:\n1. Buy milk\n2. Call Kim");
        no_failures(&host);
    }
}

#[tokio::test]
async fn notes_outlast_the_server_in_the_memories_own_file() {
    let (folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    let first = add(&host, "Buy milk").await;
    let second = add(&host, "Call Kim").await;
    drop(host);
    keep(&store(&path), "shop", &["Webhooks are sent once."]).await;
    let host = opened(McplHost::builder(), &path).await;
    let at = HostCall::new("note_list", json!({})).checkpoint(&second);
    let notes = host.call_tool_with(at).await.unwrap().text();
    assert_eq!(notes, "2 notes:\n1. Buy milk\n2. Call Kim");
    host.rollback(NoteKeeping::NAME, &first).await.unwrap();
    assert_eq!(listed(&host).await, "1 note:\n1. Buy milk");
    drop(host);
    let files: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().file_name())
        .collect();
    let own = |name: &std::ffi::OsString| name.to_string_lossy().starts_with("memory.db");
    assert!(files.iter().all(own), "{files:?}");
}

#[tokio::test]
async fn a_checkpoint_that_is_not_known_refuses_a_rollback_and_no_call() {
    let (_folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    let failed = host
        .rollback(NoteKeeping::NAME, "chk_old")
        .await
        .unwrap_err();
    assert_eq!(failed.code(), Some(-32005));
    let at = HostCall::new("note_list", json!({})).checkpoint("chk_old");
    host.call_tool_with(at).await.unwrap();
    let strange = HostCall::new("note_list", json!({})).state(json!({ "notes": 7 }));
    host.call_tool_with(strange).await.unwrap();
}

/// A log that a test reads.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn a_checkpoint_that_is_not_known_is_the_host_s_mistake_and_no_error_in_the_log() {
    let log = Log::default();
    let written = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::DEBUG)
        .with_ansi(false)
        .with_writer(move || written.clone())
        .finish();
    // `tracing` switches a callsite off for the whole process if no subscriber wants it when the first thread reaches it.
    // This one takes no event, and makes `tracing` ask again at each event.
    let nothing = tracing_subscriber::registry().with(dynamic_filter_fn(|_, _| false));
    _ = tracing::subscriber::set_global_default(nothing);
    let _guard = tracing::subscriber::set_default(subscriber);
    let (_folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    let failed = host.rollback(NoteKeeping::NAME, "chk_old").await;
    assert_eq!(failed.unwrap_err().code(), Some(-32005));
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("there is no checkpoint `chk_old`"), "{log}");
    assert!(!log.contains("ERROR"), "{log}");
}

#[tokio::test]
async fn a_disabled_set_keeps_no_notes_and_mistakes_are_explained() {
    let (_folder, path) = fresh();
    let host = opened(McplHost::builder().enable(["memory.retrieval"]), &path).await;
    let refused = host.call_tool("note_add", json!({ "text": "x" })).await;
    assert!(refused.unwrap_err().to_string().contains("-32001"));
    let host = opened(McplHost::builder(), &path).await;
    for (arguments, words) in [
        (
            json!({ "text": " " }),
            "`text` is empty\nhelp: give a text of 1 to 1000",
        ),
        (json!({ "texts": "x" }), "unknown field `texts`"),
    ] {
        let refused = call(&host, "note_add", arguments).await;
        assert!(
            refused.is_error() && refused.text().contains(words),
            "{refused:?}"
        );
    }
    assert_eq!(listed(&host).await, "No notes.");
}

/// The first call of a conversation carries no checkpoint, and one that was pruned is as good as none.
#[tokio::test]
async fn no_conversation_is_shown_the_notes_of_another() {
    for version in ["0.4", "0.5"] {
        let (_folder, path) = fresh();
        let alice = opened(McplHost::builder().version(version), &path).await;
        add(&alice, "ask Kim").await;
        let carol = opened(McplHost::builder().version(version), &path).await;
        let pruned = || HostCall::new("note_list", json!({})).checkpoint("chk_pruned");
        let texts = [
            listed(&carol).await,
            carol.call_tool_with(pruned()).await.unwrap().text(),
        ];
        assert_eq!(texts, ["No notes.", "No notes."], "{version}");
        // Her first note reaches the host whole: there is nothing that it could be a change of.
        let first = json!({ "text": "tune the zither" });
        let first = call(&carol, "note_add", first).await;
        assert_eq!(first.text(), "1 note:\n1. tune the zither");
        let state = &first.as_value()["state"];
        assert_eq!(state["data"]["notes"][0]["text"], "tune the zither");
        assert_eq!(state["parent"], json!(null), "{state}");

        // Nor do commits of others move what a connection has.
        let texts = [
            listed(&alice).await,
            alice.call_tool_with(pruned()).await.unwrap().text(),
        ];
        assert_eq!(texts, ["1 note:\n1. ask Kim"; 2], "{version}");
        no_failures(&alice);
        no_failures(&carol);
    }
}

#[tokio::test]
async fn plain_clients_share_one_list_that_outlasts_the_server_and_is_no_conversation_s() {
    let (_folder, path) = fresh();
    let plain = async || {
        let server = Memory::open(&path).unwrap().hooked().unwrap();
        let builder = TestHost::builder().version(LEGACY).capabilities(json!({}));
        builder.connect(server).await.unwrap()
    };
    let client = plain().await;
    let note = json!({ "text": "Buy milk" });
    client.call_tool("note_add", note).await.unwrap();
    drop(client);
    let host = opened(McplHost::builder(), &path).await;
    assert_eq!(listed(&host).await, "No notes.");
    add(&host, "ask Kim").await;
    let client = plain().await;
    let notes = client.call_tool("note_list", json!({})).await.unwrap();
    assert_eq!(notes.text(), "1 note:\n1. Buy milk");
}
