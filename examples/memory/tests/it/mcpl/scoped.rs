//! What one conversation said stays in it.

use std::path::Path;

use hooks_sdk::testing::{McplHost, mcpl::Turn};
use memory_server::{Memory, mcpl::CONVERSATIONS};
use serde_json::json;

use super::{
    call, eventually, fresh, injected, keep, kept_as, met, no_failures, of_conversation, opened,
    store,
};

const PRESENT: &str = "Remember: the present is a zither";

async fn said(host: &McplHost, conversation: &str, said: &str) -> String {
    injected(host, &Turn::new(conversation).user(said)).await
}

/// Tells the server of a turn, and waits until so many memories are there.
async fn learns(host: &McplHost, path: &Path, conversation: &str, said: &str, count: usize) {
    let turn = Turn::new(conversation).user(said).assistant("Fine.");
    host.notify_after_inference(&turn).await.unwrap();
    eventually(async || of_conversation(&store(path), conversation).await.len() == count).await;
}

#[tokio::test(start_paused = true)]
async fn what_one_conversation_said_is_not_put_before_another() {
    let (_folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    keep(&path, "shop", &["The anniversary sale begins in May."]).await;
    let secret = "Remember: the anniversary present for Bob is a zither";
    learns(&host, &path, "dm:alice", secret, 1).await;
    let asked = "What about the anniversary present?";
    let own = said(&host, "dm:alice", asked).await;
    assert!(own.contains("zither (this conversation, "), "{own}");
    for other in ["dm:bob", "dm:alice2", "dm:alic", "", "DM:ALICE"] {
        let text = said(&host, other, asked).await;
        // A project's memory is for all.
        assert!(
            text.contains("sale begins in May. (shop, "),
            "{other}: {text}"
        );
        assert!(!text.contains("zither"), "{other}: {text}");
    }
    // The other one may say the same and has it then, too.
    learns(&host, &path, "dm:bob", secret, 1).await;
    assert!(said(&host, "dm:bob", asked).await.contains("zither"));
    no_failures(&host);
}

/// Agents have no word for the conversation in which they are: their tools see those of projects only.
#[tokio::test(start_paused = true)]
async fn no_tool_shows_what_a_conversation_said() {
    let (_folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    keep(&path, "shop", &["Webhooks are sent once."]).await;
    learns(&host, &path, "dm:alice", PRESENT, 1).await;
    let id = of_conversation(&store(&path), "dm:alice")
        .await
        .remove(0)
        .id;
    let p = CONVERSATIONS;
    let all = json!({ "project": "shop", "query": "zither", "projects": "*", "mode": "full" });
    let replaced = json!({ "project": p, "query": "zither", "include_superseded": true });
    let changed = json!({ "project": p, "memory_id": id, "content": "x" });
    let tagged = json!({ "project": p, "memory_id": id, "add_tags": ["x"] });
    // Nor does one tell that it is there already.
    let corrected = json!({ "project": "shop", "content": "x", "tags": [], "supersedes": id });
    for (tool, arguments) in [
        ("session_init", json!({})),
        ("session_init", json!({ "project": p })),
        ("list_topics", json!({ "project": p })),
        ("search_memories", json!({ "project": p, "query": "" })),
        ("search_memories", replaced),
        ("search_memories", all),
        (
            "expand_memories",
            json!({ "project": p, "memory_ids": [id] }),
        ),
        ("update_memory", changed),
        ("retag_memory", tagged),
        ("delete_memory", json!({ "project": p, "memory_id": id })),
        ("consolidate_memories", json!({ "project": p })),
        ("store_memory", corrected),
    ] {
        let text = call(&host, tool, arguments).await.text();
        assert!(
            !text.contains("zither present") && !text.contains("is a zither"),
            "{tool}: {text}"
        );
        assert!(!text.contains("remembered"), "{tool}: {text}");
        assert!(!text.contains("it is in project"), "{tool}: {text}");
    }
    let same = json!({ "project": p, "content": "the present is a zither", "tags": [] });
    let text = call(&host, "store_memory", same).await.text();
    assert!(text.contains("Stored") && !text.contains(&id), "{text}");
    assert_eq!(of_conversation(&store(&path), "dm:alice").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_conversation_said_is_exported_imported_and_forgotten() {
    let (folder, path) = fresh();
    let host = met(McplHost::builder(), &path).await;
    learns(&host, &path, "dm:alice", PRESENT, 1).await;
    let memories = store(&path);
    let file = folder.path().join("export.jsonl");
    let out = std::fs::File::create(&file).unwrap();
    assert_eq!(memories.export(None, out).await.unwrap(), 1);
    let alice = kept_as("dm:alice");
    assert_eq!(memories.forget("dm:alice").await.unwrap(), 0);
    assert_eq!(memories.forget(&alice).await.unwrap(), 1);
    assert_eq!(said(&host, "dm:alice", "the zither").await, "");

    let exported = std::fs::read_to_string(&file).unwrap();
    let import = |lines: String| memories.import(None, std::io::Cursor::new(lines.into_bytes()));
    assert_eq!(import(exported).await.unwrap().added, 1);
    assert_eq!(said(&host, "dm:bob", "the zither").await, "");
    let text = said(&host, "dm:alice", "the zither").await;
    assert!(text.contains("is a zither (this conversation, "), "{text}");
}

/// A host with a name of its own, of a server that its user has named.
async fn host(path: &Path, name: &str, user: Option<&str>) -> McplHost {
    let server = Memory::new(store(path)).named(user.map(str::to_owned));
    let builder = McplHost::builder().host_name(name);
    builder.connect(server.hooked().unwrap()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn hosts_with_the_same_conversation_are_kept_apart() {
    let (_folder, path) = fresh();
    let first = host(&path, "connectome", None).await;
    let turn = Turn::new("assistant").user(PRESENT).assistant("Fine.");
    first.notify_after_inference(&turn).await.unwrap();
    let own = async || said(&first, "assistant", "the zither").await;
    eventually(async || !own().await.is_empty()).await;
    assert!(own().await.contains("is a zither (this conversation, "));
    // The characters between the names cannot be part of a name.
    for (name, user, conversation) in [
        ("another", None, "assistant"),
        ("connectome", Some("work"), "assistant"),
        ("connectome#work", None, "assistant"),
        ("", None, "connectome/assistant"),
        ("connectome/assistant", None, ""),
        ("Connectome", None, "assistant"),
    ] {
        let other = host(&path, name, user).await;
        let text = said(&other, conversation, "the zither").await;
        assert_eq!(text, "", "{name} {user:?} {conversation}");
    }
    // Hosts with the same names share their conversations.
    let same = host(&path, "connectome", None).await;
    let text = said(&same, "assistant", "the zither").await;
    assert!(text.contains("is a zither"), "{text}");
}
