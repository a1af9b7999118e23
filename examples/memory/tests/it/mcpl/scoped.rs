//! What one conversation said stays in it.

use hooks_sdk::{
    mcpl::Position,
    testing::{McplHost, mcpl::Turn},
};
use memory_server::{Memory, mcpl::CONVERSATIONS};
use serde_json::json;

use super::{call, fresh, keep, kept_as, met, no_failures, of_conversation, opened, store};

async fn injected(host: &McplHost, conversation: &str, said: &str) -> String {
    let turn = Turn::new(conversation).user(said);
    let contribution = host.before_inference(&turn).await;
    assert!(contribution.failure.is_none(), "{contribution:?}");
    contribution.text_at(Position::BeforeUser)
}

/// Tells the server of a turn, and waits until so many memories are there.
async fn learns(
    host: &McplHost,
    path: &std::path::Path,
    conversation: &str,
    said: &str,
    count: usize,
) {
    let turn = Turn::new(conversation).user(said).assistant("Fine.");
    host.notify_after_inference(&turn).await.unwrap();
    let memories = store(path);
    for _ in 0..200 {
        if of_conversation(&memories, conversation).await.len() == count {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("{conversation}: not {count} memories");
}

#[tokio::test(start_paused = true)]
async fn what_one_conversation_said_is_not_put_before_another() {
    let (_folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    keep(
        &store(&path),
        "shop",
        &["The anniversary sale begins in May."],
    )
    .await;
    let secret = "Remember: the anniversary present for Bob is a zither";
    learns(&host, &path, "dm:alice", secret, 1).await;
    let asked = "What about the anniversary present?";
    let own = injected(&host, "dm:alice", asked).await;
    assert!(own.contains("zither (this conversation, "), "{own}");
    for other in ["dm:bob", "dm:alice2", "dm:alic", "", "DM:ALICE"] {
        let text = injected(&host, other, asked).await;
        // A project's memory is for all.
        assert!(
            text.contains("sale begins in May. (shop, "),
            "{other}: {text}"
        );
        assert!(!text.contains("zither"), "{other}: {text}");
    }
    // The other one may say the same and has it then, too.
    learns(&host, &path, "dm:bob", secret, 1).await;
    assert!(injected(&host, "dm:bob", asked).await.contains("zither"));
    no_failures(&host);
}

/// Agents have no word for the conversation in which they are: their tools see those of projects only.
#[tokio::test(start_paused = true)]
async fn no_tool_shows_what_a_conversation_said() {
    let (_folder, path) = fresh();
    let host = opened(McplHost::builder(), &path).await;
    keep(&store(&path), "shop", &["Webhooks are sent once."]).await;
    learns(
        &host,
        &path,
        "dm:alice",
        "Remember: the present is a zither",
        1,
    )
    .await;
    let id = of_conversation(&store(&path), "dm:alice")
        .await
        .remove(0)
        .id;
    let project = CONVERSATIONS;
    for (tool, arguments) in [
        ("session_init", json!({})),
        ("session_init", json!({ "project": project })),
        ("list_topics", json!({ "project": project })),
        (
            "search_memories",
            json!({ "project": project, "query": "" }),
        ),
        (
            "search_memories",
            json!({ "project": project, "query": "zither", "include_superseded": true }),
        ),
        (
            "search_memories",
            json!({ "project": "shop", "query": "zither", "projects": "*", "mode": "full" }),
        ),
        (
            "expand_memories",
            json!({ "project": project, "memory_ids": [id] }),
        ),
        (
            "expand_memories",
            json!({ "project": "shop", "memory_ids": [id] }),
        ),
        (
            "update_memory",
            json!({ "project": project, "memory_id": id, "content": "x" }),
        ),
        (
            "retag_memory",
            json!({ "project": project, "memory_id": id, "add_tags": ["x"] }),
        ),
        (
            "delete_memory",
            json!({ "project": project, "memory_id": id }),
        ),
        ("consolidate_memories", json!({ "project": project })),
        // Nor does one tell that it is there already.
        (
            "store_memory",
            json!({ "project": "shop", "content": "x", "tags": [], "supersedes": id }),
        ),
    ] {
        let text = call(&host, tool, arguments).await.text();
        assert!(
            !text.contains("zither present") && !text.contains("is a zither"),
            "{tool}: {text}"
        );
        assert!(!text.contains("remembered"), "{tool}: {text}");
        assert!(!text.contains("it is in project"), "{tool}: {text}");
    }
    let same = json!({ "project": project, "content": "the present is a zither", "tags": [] });
    let text = call(&host, "store_memory", same).await.text();
    assert!(text.contains("Stored") && !text.contains(&id), "{text}");
    assert_eq!(of_conversation(&store(&path), "dm:alice").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_a_conversation_said_is_exported_imported_and_forgotten() {
    let (folder, path) = fresh();
    let host = met(McplHost::builder(), &path).await;
    learns(
        &host,
        &path,
        "dm:alice",
        "Remember: the present is a zither",
        1,
    )
    .await;
    let memories = store(&path);
    let file = folder.path().join("export.jsonl");
    let out = std::fs::File::create(&file).unwrap();
    assert_eq!(memories.export(None, out).await.unwrap(), 1);
    let alice = kept_as("dm:alice");
    assert_eq!(memories.forget("dm:alice").await.unwrap(), 0);
    assert_eq!(memories.forget(&alice).await.unwrap(), 1);
    assert_eq!(injected(&host, "dm:alice", "the zither").await, "");

    let exported = std::fs::read_to_string(&file).unwrap();
    // As an earlier version wrote it: nobody knows whose conversation it was.
    let member = format!(",\"conversation\":\"{alice}\"");
    let older = exported.replace(&member, "");
    assert_ne!(exported.len(), older.len());
    let import = |lines: String| memories.import(None, std::io::Cursor::new(lines.into_bytes()));
    assert_eq!(import(older).await.unwrap().added, 1);
    for conversation in ["dm:alice", "dm:bob"] {
        assert_eq!(injected(&host, conversation, "the zither").await, "");
    }
    assert_eq!(memories.forget("dm:alice").await.unwrap(), 1);
    assert_eq!(import(exported).await.unwrap().added, 1);
    assert_eq!(injected(&host, "dm:bob", "the zither").await, "");
    let text = injected(&host, "dm:alice", "the zither").await;
    assert!(text.contains("is a zither (this conversation, "), "{text}");
}

/// A host with a name of its own, of a server that its user has named.
async fn host(path: &std::path::Path, name: &str, user: Option<&str>) -> McplHost {
    let server = Memory::new(store(path)).named(user.map(str::to_owned));
    let builder = McplHost::builder().host_name(name);
    builder.connect(server.hooked().unwrap()).await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn hosts_with_the_same_conversation_are_kept_apart() {
    let (_folder, path) = fresh();
    let first = host(&path, "connectome", None).await;
    let said = "Remember: the present is a zither";
    let turn = Turn::new("assistant").user(said).assistant("Fine.");
    first.notify_after_inference(&turn).await.unwrap();
    let own = async || injected(&first, "assistant", "the zither").await;
    for _ in 0..200 {
        if !own().await.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
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
        let text = injected(&other, conversation, "the zither").await;
        assert_eq!(text, "", "{name} {user:?} {conversation}");
    }
    // Hosts with the same names share their conversations.
    let same = host(&path, "connectome", None).await;
    let text = injected(&same, "assistant", "the zither").await;
    assert!(text.contains("is a zither"), "{text}");
}
