//! Notes that roll back with the conversation.

use hooks_sdk::testing::{
    McplHost,
    mcpl::{HostCall, Returns},
};
use memory_server::mcpl::NoteKeeping;
use serde_json::json;

use super::{call, fresh, keep, no_failures, opened};

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
async fn notes_outlast_the_server_in_a_file_beside_the_memories() {
    let (folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    let first = add(&host, "Buy milk").await;
    let second = add(&host, "Call Kim").await;
    drop(host);
    keep(&path, "shop", &["Webhooks are sent once."]).await;
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
