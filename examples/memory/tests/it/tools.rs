//! What the tools do when they are used as their descriptions say.

use crate::peer::Peer;
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) async fn fresh() -> (TempDir, Peer) {
    let folder = tempfile::tempdir().unwrap();
    let peer = Peer::at(&folder.path().join("memory.db")).await;
    (folder, peer)
}

pub(crate) async fn keep(peer: &Peer, project: &str, content: &str, tags: Value) -> String {
    peer.call(
        "store_memory",
        json!({ "project": project, "content": content, "tags": tags }),
    )
    .await
    .id()
}

/// Keeps a memory of the shop without tags.
pub(crate) async fn remember(peer: &Peer, content: &str) -> String {
    keep(peer, "shop", content, json!([])).await
}

/// The arguments with more of them.
pub(crate) fn with(mut arguments: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().unwrap() {
        arguments[key] = value.clone();
    }
    arguments
}

pub(crate) async fn search(peer: &Peer, query: &str, more: Value) -> Vec<Value> {
    let arguments = json!({ "project": "shop", "query": query, "output": "json" });
    let answer = peer.call("search_memories", with(arguments, &more)).await;
    assert!(!answer.is_error, "{}", answer.text);
    answer.structured["results"].as_array().unwrap().clone()
}

/// The memories that match, none standing in for them.
pub(crate) async fn matches(peer: &Peer, query: &str) -> Vec<Value> {
    search(peer, query, json!({ "min_score": 0 })).await
}

pub(crate) fn ids(results: &[Value]) -> Vec<&str> {
    results.iter().map(|r| r["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn the_tools_are_listed_and_the_instructions_name_them() {
    let (_folder, peer) = fresh().await;
    let tools = peer.tools().await;
    assert_eq!(tools.len(), 15);
    let instructions = peer.host.handshake()["instructions"].as_str().unwrap();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(instructions.contains(name), "{name}");
        // Notes belong to a conversation.
        let project = &tool["inputSchema"]["properties"]["project"];
        assert_eq!(project.is_object(), !name.starts_with("note_"), "{tool}");
    }
}

#[tokio::test]
async fn the_readme_names_every_tool_and_argument() {
    let (_folder, peer) = fresh().await;
    let readme = include_str!("../../README.md");
    for tool in peer.tools().await {
        let row = format!("| `{}` |", tool["name"].as_str().unwrap());
        let row = readme.lines().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("no row for {}", tool["name"]));
        for name in tool["inputSchema"]["properties"]
            .as_object()
            .unwrap()
            .keys()
        {
            assert!(
                name == "project" || row.contains(&format!("`{name}`")),
                "{name}: {row}"
            );
        }
    }
}

#[tokio::test]
async fn projects_do_not_see_each_other_unless_asked() {
    let (_folder, peer) = fresh().await;
    let here = remember(&peer, "Deploy on Mondays").await;
    let there = keep(&peer, "bank", "Deploy on Fridays", json!([])).await;
    assert_eq!(
        ids(&search(&peer, "deploy", json!({})).await),
        [here.as_str()]
    );
    for projects in [json!("*"), json!(["bank"]), json!("bank")] {
        let found = search(&peer, "deploy", json!({ "projects": projects })).await;
        assert_eq!(found.len(), 2, "{projects}");
        assert!(ids(&found).contains(&there.as_str()));
    }
    let text = peer
        .call(
            "search_memories",
            json!({ "project": "shop", "query": "fridays", "projects": "*" }),
        )
        .await
        .text;
    assert!(text.contains("Project: bank"), "{text}");
}

#[tokio::test]
async fn tags_are_trimmed_lower_cased_and_without_doubles() {
    let (_folder, peer) = fresh().await;
    let id = keep(&peer, "shop", "One", json!([" Auth ", "auth", "", "B"])).await;
    keep(&peer, "shop", "Another", json!("x, Y")).await;
    let results = search(&peer, "one", json!({})).await;
    assert_eq!(results[0]["tags"], json!(["auth", "b"]));
    let results = search(&peer, "another", json!({})).await;
    assert_eq!(results[0]["tags"], json!(["x", "y"]));
    let by_tag = search(&peer, "", json!({ "tags": ["AUTH", "none"] })).await;
    assert_eq!(ids(&by_tag), [id.as_str()]);
}

#[tokio::test]
async fn a_memory_that_says_the_same_is_skipped_and_a_similar_one_gets_a_hint() {
    let (_folder, peer) = fresh().await;
    let content = "Webhooks are retried three times with a delay of ten seconds each";
    let id = remember(&peer, content).await;
    let again = "webhooks are RETRIED three times, with a delay of ten seconds each!";
    let alike = "Webhooks are retried five times with a delay of ten seconds each";
    let one = json!({ "project": "shop", "content": again, "tags": [] });
    let skipped = peer.call("store_memory", one).await;
    assert!(
        skipped.text.contains("Skipped") && skipped.text.contains(&id),
        "{}",
        skipped.text
    );
    let batch = json!({ "project": "shop", "memories": [
        { "content": again, "tags": [] },
        { "content": alike, "tags": [] },
        { "content": alike, "tags": [] },
    ]});
    let text = peer.call("store_batch", batch).await.text;
    assert!(text.contains("Stored 1 of 3"), "{text}");
    assert!(
        text.contains(&format!("A similar memory exists (score 0.92, ID: {id})")),
        "{text}"
    );
    let other = json!({ "project": "bank", "content": again, "tags": [] });
    assert!(
        peer.call("store_memory", other)
            .await
            .text
            .contains("Stored")
    );
}

#[tokio::test]
async fn a_superseded_memory_is_hidden_and_comes_back_when_its_successor_goes() {
    let (_folder, peer) = fresh().await;
    let old = remember(&peer, "The port is 8080").await;
    let arguments = json!({
        "project": "shop", "content": "The port is 8080", "tags": [], "supersedes": old
    });
    let new = peer.call("store_memory", arguments).await.id();
    assert_eq!(ids(&search(&peer, "port", json!({})).await), [new.as_str()]);
    let all = search(&peer, "port", json!({ "include_superseded": true })).await;
    assert_eq!(all.len(), 2);
    let hidden = all.iter().find(|r| r["id"] == old.as_str()).unwrap();
    assert_eq!(hidden["superseded_by"], new.as_str());

    let gone = json!({ "project": "shop", "memory_id": new });
    peer.call("delete_memory", gone).await.id();
    assert_eq!(ids(&search(&peer, "port", json!({})).await), [old.as_str()]);
}

#[tokio::test]
async fn an_update_changes_what_is_given_and_the_index() {
    let (_folder, peer) = fresh().await;
    let id = keep(&peer, "shop", "About zebras", json!(["animal"])).await;
    let arguments = json!({ "project": "shop", "memory_id": id, "content": "About giraffes" });
    peer.call("update_memory", arguments).await.id();
    assert!(matches(&peer, "zebras").await.is_empty());
    let found = matches(&peer, "giraffes").await;
    assert_eq!(found[0]["tags"], json!(["animal"]));
}

#[tokio::test]
async fn tags_can_be_added_removed_and_set() {
    let (_folder, peer) = fresh().await;
    let id = keep(&peer, "shop", "Something", json!(["a", "b"])).await;
    let retag = async |change: Value| {
        let arguments = json!({ "project": "shop", "memory_id": id });
        peer.call("retag_memory", with(arguments, &change))
            .await
            .text
    };
    let text = retag(json!({ "add_tags": ["C"], "remove_tags": "a" })).await;
    assert!(text.ends_with("Tags: b, c."), "{text}");
    let text = retag(json!({ "set_tags": ["z"] })).await;
    assert!(text.ends_with("Tags: z."), "{text}");
    let text = retag(json!({ "set_tags": [] })).await;
    assert!(text.ends_with("Tags: none."), "{text}");
}

#[tokio::test]
async fn memories_are_read_in_the_order_asked() {
    let (_folder, peer) = fresh().await;
    let a = remember(&peer, "Alpha story").await;
    let b = remember(&peer, "Beta tale").await;
    let arguments = json!({ "project": "shop", "memory_ids": [b, "nothing", a], "output": "json" });
    let answer = peer.call("expand_memories", arguments).await;
    let results = answer.structured["results"].as_array().unwrap();
    assert_eq!(results[0]["content"], "Beta tale");
    assert_eq!(results[1]["content"], "Alpha story");
    assert_eq!(answer.structured["unknown"], json!(["nothing"]));
    let arguments = json!({ "project": "shop", "memory_ids": a });
    let text = peer.call("expand_memories", arguments).await.text;
    assert!(text.contains("Alpha story\n   Source: - |"), "{text}");
}

#[tokio::test]
async fn topics_are_counted_and_an_empty_project_names_the_others() {
    let (_folder, peer) = fresh().await;
    keep(&peer, "shop", "First thing", json!(["auth", "db"])).await;
    keep(&peer, "shop", "Second matter", json!(["auth"])).await;
    let text = peer
        .call("list_topics", json!({ "project": "shop" }))
        .await
        .text;
    assert!(
        text.ends_with("Memories: 2. Topics: 2.\n- auth (2)\n- db (1)"),
        "{text}"
    );
    let text = peer
        .call("list_topics", json!({ "project": "shpo" }))
        .await
        .text;
    assert!(text.contains("projects that have some: shop"), "{text}");
}
