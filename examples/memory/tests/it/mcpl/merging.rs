//! Related memories become one, and nothing is lost.

use std::time::{Duration, Instant};

use hooks_sdk::{
    mcpl::{ErrorObject, wire::method},
    testing::{
        McplHost, McplHostBuilder,
        mcpl::{Reaction, Turn},
    },
};
use memory_server::{
    mcpl::CONVERSATIONS,
    store::{Draft, Record, Store},
};
use serde_json::json;

use super::{
    call, everything, fresh, keep, kept_as, met, no_failures, of_conversation, opened, store,
};

const RELATED: [&str; 3] = [
    "Refused webhooks are sent three times, a minute apart",
    "Refused webhooks are sent three times and then dropped",
    "The queue is a table in SQLite",
];
const MERGED: &str = "Refused webhooks are sent three times, a minute apart, and then dropped";

fn merging() -> McplHostBuilder {
    McplHost::builder().infers(MERGED)
}

/// Lets memories be merged, and waits for what became of it: what the call says that tells of it.
async fn outcome(host: &McplHost) -> String {
    let project = json!({ "project": "shop" });
    let asked = call(host, "consolidate_memories", project.clone()).await;
    let asked = asked.text();
    assert!(
        asked.starts_with("[shop] Asked the client's model to merge 2: "),
        "{asked}"
    );
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let answer = call(host, "consolidate_memories", project.clone()).await;
        assert!(!answer.is_error(), "{answer:?}");
        if !answer.text().contains("call again later") {
            return answer.text();
        }
        assert!(Instant::now() < deadline, "it is never written");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

fn contents<'r>(records: impl IntoIterator<Item = &'r Record>) -> Vec<&'r str> {
    let contents = records.into_iter().map(|one| one.content.as_str());
    contents.collect()
}

#[tokio::test(start_paused = true)]
async fn the_merged_memory_supersedes_what_it_merges() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    keep(&path, "shop", &RELATED).await;
    let host = opened(merging(), &path).await;
    let answer = outcome(&host).await;
    assert!(
        answer.starts_with("The last merging: [shop] Merged 2, ID: "),
        "{answer}"
    );
    // It is merged, and there is nothing more to do.
    let nothing = "[shop] No two memories say related things.";
    assert!(
        answer.ends_with(&format!("{MERGED}\n\n{nothing}")),
        "{answer}"
    );

    let asked = host.received(method::INFERENCE_REQUEST);
    assert_eq!(asked.len(), 1);
    let params = &asked[0]["params"];
    assert_eq!(params["featureSet"], "memory.consolidation");
    let prompt = params["messages"][0]["content"].to_string();
    let told = RELATED.map(|text| prompt.contains(text));
    assert_eq!(told, [true, true, false], "{prompt}");

    let all = everything(&memories).await;
    let (old, current): (Vec<&Record>, Vec<&Record>) =
        all.iter().partition(|one| one.superseded_by.is_some());
    assert_eq!(contents(current.iter().copied()), [MERGED, RELATED[2]]);
    assert_eq!(contents(old.iter().copied()), [RELATED[1], RELATED[0]]);
    let new = Some(&current[0].id);
    assert!(old.iter().all(|one| one.superseded_by.as_ref() == new));

    // The outcome is reported once.
    let answer = call(&host, "consolidate_memories", json!({ "project": "shop" })).await;
    assert_eq!(answer.text(), nothing);
    // Who does not like it deletes it, and has what it replaced.
    let delete = json!({ "project": "shop", "memory_id": current[0].id });
    assert!(!call(&host, "delete_memory", delete).await.is_error());
    let all = everything(&memories).await;
    assert_eq!(contents(&all), [RELATED[2], RELATED[1], RELATED[0]]);
    assert!(all.iter().all(|one| one.superseded_by.is_none()));
    no_failures(&host);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_does_not_help_changes_nothing() {
    let result = |content: &str, reason: &str| {
        Reaction::result(json!({
            "content": content, "model": "m", "finishReason": reason,
            "usage": { "inputTokens": 1, "outputTokens": 1 },
        }))
    };
    let much = "Refused webhooks are sent three times, ".repeat(20);
    for (reaction, words) in [
        (Reaction::wrong_shape(), "cannot be read"),
        (result("", "end_turn"), "is empty"),
        (
            result("Certainly! What are these about?", "end_turn"),
            "leaves out what",
        ),
        (result("NONE", "end_turn"), "not about the same thing"),
        (result(MERGED, "max_tokens"), "it was cut"),
        (result(&much, "end_turn"), "longer than"),
        (Reaction::never(), "did not answer"),
    ] {
        let (_folder, path) = fresh();
        let memories = store(&path);
        keep(&path, "shop", &RELATED).await;
        let before = everything(&memories).await;
        let server = memory_server::Memory::new(memories.clone())
            .hooked()
            .unwrap();
        let settings = hooks_sdk::mcpl::McplSettings::new().timeout(Duration::from_millis(400));
        let builder = McplHost::builder().react(method::INFERENCE_REQUEST, reaction);
        let host = builder.connect(server.mcpl(settings)).await.unwrap();
        call(&host, "session_init", json!({})).await;
        let answer = outcome(&host).await;
        assert!(answer.starts_with("The last merging: [shop] "), "{answer}");
        assert!(answer.contains(words), "{words}: {answer}");
        assert_eq!(everything(&memories).await, before, "{words}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_memory_that_changed_meanwhile_is_not_merged() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    keep(&path, "shop", &RELATED).await;
    let related = memories.related("shop", None).await.unwrap();
    assert_eq!(contents(&related), [RELATED[1], RELATED[0]]);
    let change = memory_server::store::Change {
        content: Some("Refused webhooks are sent twice".to_owned()),
        ..Default::default()
    };
    memories
        .update("shop", &related[1].id, change)
        .await
        .unwrap();
    let refused = memories.merge(related, MERGED).await.unwrap_err();
    assert!(
        refused.to_string().contains("was changed meanwhile"),
        "{refused}"
    );
    assert!(
        everything(&memories)
            .await
            .iter()
            .all(|one| one.superseded_by.is_none())
    );
}

/// The merged memory of a conversation, when it is there.
async fn merged(memories: &Store, conversation: &str) -> Record {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let all = of_conversation(memories, conversation).await;
        if let Some(merged) = all.iter().find(|one| one.content == MERGED) {
            return merged.clone();
        }
        assert!(Instant::now() < deadline, "{all:?}");
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// A turn in which five things are learned, two of which are related.
fn instructive(conversation: &str) -> Turn {
    let lines = [
        RELATED[0],
        RELATED[1],
        "Kim prefers tea",
        "deploys are on Fridays",
        "the till closes at six",
    ];
    let user = lines.map(|line| format!("Remember: {line}\n")).concat();
    Turn::new(conversation).user(user).assistant("Fine.")
}

#[tokio::test(start_paused = true)]
async fn what_a_host_refuses_during_another_hook_is_merged_later() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    let busy = ErrorObject::new(
        -32600,
        "Inference requests are not allowed during hook execution",
    );
    let builder = merging().react_once(method::INFERENCE_REQUEST, Reaction::error(busy));
    let host = met(builder, &path).await;
    host.notify_after_inference(&instructive("conv_1"))
        .await
        .unwrap();
    let merged = merged(&memories, "conv_1").await;
    assert_eq!(merged.conversation, Some(kept_as("conv_1")));
    assert_eq!(host.received(method::INFERENCE_REQUEST).len(), 2);
}

#[tokio::test]
async fn conversations_are_merged_apart() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    // Each says one of two related things: together they are for nobody's eyes.
    for (conversation, line) in [("dm:alice", RELATED[0]), ("dm:bob", RELATED[1])] {
        let mut draft = Draft::new(line);
        draft.conversation = Some(conversation.to_owned());
        memories.store(CONVERSATIONS, draft).await.unwrap();
    }
    for conversation in [None, Some("dm:alice"), Some("dm:bob")] {
        let related = memories.related(CONVERSATIONS, conversation).await;
        assert!(related.unwrap().is_empty(), "{conversation:?}");
    }
}
