//! Related memories become one, and nothing is lost.

use std::time::{Duration, Instant};

use hooks_sdk::{
    mcpl::{ErrorObject, method},
    testing::{
        McplHost, McplHostBuilder,
        mcpl::{Reaction, Turn},
    },
};
use memory_server::{mcpl::CONVERSATIONS, store::Record};
use serde_json::json;

use super::{call, everything, fresh, keep, met, no_failures, opened, store};

const RELATED: [&str; 3] = [
    "Refused webhooks are sent three times, a minute apart",
    "Refused webhooks are sent three times and then dropped",
    "The queue is a table in SQLite",
];
const MERGED: &str = "Refused webhooks are sent three times, a minute apart, and then dropped";

fn merging() -> McplHostBuilder {
    McplHost::builder().infers(MERGED)
}

fn contents<'r>(records: impl IntoIterator<Item = &'r Record>) -> Vec<&'r str> {
    let contents = records.into_iter().map(|one| one.content.as_str());
    contents.collect()
}

#[tokio::test]
async fn the_merged_memory_supersedes_what_it_merges() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    keep(&memories, "shop", &RELATED).await;
    let host = opened(merging(), &path).await;
    let answer = call(&host, "consolidate_memories", json!({ "project": "shop" })).await;
    assert!(!answer.is_error(), "{}", answer.text());
    assert!(
        answer.text().starts_with("[shop] Merged 2, ID: "),
        "{}",
        answer.text()
    );

    let asked = host.received(method::INFERENCE_REQUEST);
    assert_eq!(asked.len(), 1);
    let params = &asked[0]["params"];
    assert_eq!(params["featureSet"], "memory.consolidation");
    let prompt = params["messages"][0]["content"].to_string();
    assert!(
        prompt.contains(RELATED[0]) && prompt.contains(RELATED[1]),
        "{prompt}"
    );
    assert!(!prompt.contains(RELATED[2]), "{prompt}");

    let all = everything(&memories).await;
    let (old, current): (Vec<&Record>, Vec<&Record>) =
        all.iter().partition(|one| one.superseded_by.is_some());
    assert_eq!(contents(current.iter().copied()), [MERGED, RELATED[2]]);
    assert_eq!(contents(old.iter().copied()), [RELATED[1], RELATED[0]]);
    assert!(
        old.iter()
            .all(|one| one.superseded_by.as_ref() == Some(&current[0].id))
    );

    // It is merged, and there is nothing more to do.
    let answer = call(&host, "consolidate_memories", json!({ "project": "shop" })).await;
    assert_eq!(answer.text(), "[shop] No two memories say related things.");
    // Who does not like it deletes it, and has what it replaced.
    let delete = json!({ "project": "shop", "memory_id": current[0].id });
    assert!(!call(&host, "delete_memory", delete).await.is_error());
    let all = everything(&memories).await;
    assert_eq!(contents(&all), [RELATED[2], RELATED[1], RELATED[0]]);
    assert!(all.iter().all(|one| one.superseded_by.is_none()));
    no_failures(&host);
}

#[tokio::test]
async fn a_host_that_does_not_help_changes_nothing() {
    let result = |content: &str, reason: &str| {
        Reaction::result(json!({
            "content": content, "model": "m", "finishReason": reason,
            "usage": { "inputTokens": 1, "outputTokens": 1 },
        }))
    };
    let much = "Refused webhooks are sent three times, ".repeat(20);
    for (reaction, words) in [
        (
            Reaction::error(ErrorObject::internal("no budget")),
            "no budget",
        ),
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
        keep(&memories, "shop", &RELATED).await;
        let before = everything(&memories).await;
        let server = memory_server::Memory::new(memories.clone())
            .hooked()
            .unwrap();
        let settings = hooks_sdk::mcpl::Settings::new().timeout(Duration::from_millis(400));
        let builder = McplHost::builder().react(method::INFERENCE_REQUEST, reaction);
        let host = builder.connect(server.mcpl(settings)).await.unwrap();
        call(&host, "session_init", json!({})).await;
        let answer = call(&host, "consolidate_memories", json!({ "project": "shop" })).await;
        assert!(answer.text().contains(words), "{words}: {}", answer.text());
        assert_eq!(everything(&memories).await, before, "{words}");
    }
}

#[tokio::test]
async fn an_answer_that_grows_too_long_is_not_waited_for() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    keep(&memories, "shop", &RELATED).await;
    let host = opened(
        McplHost::builder().infers("words and ".repeat(10_000)),
        &path,
    )
    .await;
    let answer = call(&host, "consolidate_memories", json!({ "project": "shop" })).await;
    let text = answer.text();
    assert!(text.contains("longer than what it merges"), "{text}");
    assert!(
        everything(&memories)
            .await
            .iter()
            .all(|one| one.superseded_by.is_none())
    );
}

#[tokio::test]
async fn a_memory_that_changed_meanwhile_is_not_merged() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    keep(&memories, "shop", &RELATED).await;
    let related = memories.related("shop").await.unwrap();
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

#[tokio::test]
async fn what_is_learned_is_merged_by_itself_after_a_while() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    // A host that forbids to be asked for inference inside of a hook (MCPL 0.4.1 §10.7).
    let host = met(merging().no_inference_in_hooks(), &path).await;
    let learns = |text: &str| Turn::new("conv_1").user(text).assistant("Fine.");
    let turn = format!("Remember: {}\nRemember: {}", RELATED[0], RELATED[1]);
    host.notify_after_inference(&learns(&turn)).await.unwrap();
    let turn = "Remember: Kim prefers tea\nRemember: deploys are on Fridays\nRemember: the till closes at six";
    host.notify_after_inference(&learns(turn)).await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    let merged = loop {
        let all = everything(&memories).await;
        if let Some(merged) = all.iter().find(|one| one.content == MERGED) {
            break merged.clone();
        }
        assert!(Instant::now() < deadline, "{all:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    assert_eq!(merged.project, CONVERSATIONS);
    assert_eq!(merged.tags, ["remembered"]);
    assert_eq!(merged.source, "conversation conv_1");
    no_failures(&host);
}
