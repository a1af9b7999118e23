//! Where a host says little: the position it grants, a turn without a message, and words that say nothing.

use std::{fmt::Write, io::Cursor, time::Duration};

use hooks_sdk::{
    mcpl::Position,
    testing::{
        McplHost, McplHostBuilder,
        mcpl::{McplGrants, Turn},
    },
};
use serde_json::json;

use super::{call, everything, fresh, keep, met, no_failures, store};

/// A host of 0.5 with the grants that hosts have by default: everything but `inject.system`.
fn careful() -> McplHostBuilder {
    McplHost::builder().version("0.5").grant([
        "tools",
        "pushEvents",
        "inferenceRequest",
        "inferenceRequest.*",
        "contextHooks.beforeInference.observe",
        "contextHooks.beforeInference.inject.beforeUser",
        "contextHooks.beforeInference.inject.afterUser",
    ])
}

async fn injected(host: &McplHost, turn: &Turn) -> String {
    let contribution = host.before_inference(turn).await;
    assert!(contribution.failure.is_none(), "{contribution:?}");
    assert!(contribution.rejected.is_empty(), "{contribution:?}");
    contribution.text_at(Position::BeforeUser)
}

#[tokio::test(start_paused = true)]
async fn a_host_that_denies_the_system_position_gets_memories() {
    let (_folder, path) = fresh();
    keep(
        &store(&path),
        "studio",
        &["The mannequin is scaled to 8-10 units."],
    )
    .await;
    for builder in [careful(), McplHost::builder()] {
        let host = met(builder, &path).await;
        let turn = Turn::new("conv").user("How's the mannequin project?");
        let text = injected(&host, &turn).await;
        assert!(text.contains("The mannequin is scaled"), "{text}");
        no_failures(&host);
    }
}

#[tokio::test(start_paused = true)]
async fn a_turn_without_a_message_goes_by_what_was_said_last() {
    let (_folder, path) = fresh();
    keep(
        &store(&path),
        "studio",
        &[
            "The mannequin is scaled to 8-10 units.",
            "Zithers are tuned on Mondays.",
        ],
    )
    .await;
    // A host of 0.5 tells the first message, and goes on by itself.
    let host = met(careful(), &path).await;
    let silent = Turn::new("conv");
    assert_eq!(injected(&host, &silent).await, "");
    injected(&host, &silent.clone().user("How's the mannequin project?")).await;
    assert!(
        injected(&host, &silent)
            .await
            .contains("The mannequin is scaled")
    );
    assert_eq!(injected(&host, &Turn::new("other")).await, "");

    // A host of 0.4 that never tells what the user says tells what the model said.
    let host = met(McplHost::builder(), &path).await;
    let silent = Turn::new("conv").index(1);
    assert_eq!(injected(&host, &silent).await, "");
    let ended = silent.clone().assistant("Shall I tune the zithers now?");
    host.notify_after_inference(&ended).await.unwrap();
    let mut text = String::new();
    for _ in 0..200 {
        text = injected(&host, &silent).await;
        if !text.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(text.contains("Zithers are tuned"), "{text}");
    assert!(!text.contains("mannequin"), "{text}");
    assert_eq!(injected(&host, &Turn::new("other")).await, "");
}

const KEPT: &[&str] = &[
    "Logins failed right after a restart because the container's clock was two minutes behind: the token's issue time \
     lay in the future.",
    "The job queue is a table in SQLite and not Redis: one machine is enough, and it survives a power cut.",
    "Sending a refused webhook again does not help: the receiver answers 200 and drops bodies over 1 MB.",
    "Decision: releases are cut on Tuesdays, thanks to the long weekend tests that write to the old disk.",
    "The frost sensor fails silently in autumn because its leaf valve is closed; ok after a restart.",
    "Tests of the parser write their snapshots to target/snapshots, which CI caches for a day.",
    "A function that returns a list of words is translated twice; the second translation is wrong in French.",
    "The capital letters in file names break the build on Windows.",
];

#[tokio::test(start_paused = true)]
async fn what_says_nothing_brings_nothing_to_mind() {
    let (_folder, path) = fresh();
    keep(&store(&path), "shop", KEPT).await;
    let host = met(McplHost::builder(), &path).await;
    for said in [
        "because",
        "ok",
        "OK, thanks!",
        "thank you so much",
        "yes please, go on",
        "Why not?",
        "An old silent pond / A frog jumps into the pond / Splash! Silence again.",
        "Write a haiku about autumn.",
        "Autumn wind blows; the moon looks down at nothing, leaves fall one by one.",
        "What is the capital of France?",
        "Tell me a joke about programmers",
        "Please translate this sentence for me.",
        "What's the weather like today?",
        "How are you doing?",
        "danke, das ist gut so",
        "merci beaucoup",
        "2 + 2?",
        "continue",
    ] {
        assert_eq!(
            injected(&host, &Turn::new("conv").user(said)).await,
            "",
            "{said}"
        );
    }
    for (said, memory) in [
        ("Why did the logins fail?", "Logins failed"),
        ("webhooks", "Sending a refused webhook"),
        ("Do we use Redis?", "The job queue"),
        ("When are releases cut?", "releases are cut"),
        (
            "Where do the parser tests put snapshots?",
            "Tests of the parser",
        ),
        (
            "Could you have a look at why redis is not what the colleagues of the other team found there yesterday?",
            "The job queue",
        ),
    ] {
        let text = injected(&host, &Turn::new("conv").user(said)).await;
        assert!(text.contains(memory), "{said}: {text}");
        assert!(text.lines().count() <= 5, "{said}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_message_needs_more_than_a_chance_word() {
    let (_folder, path) = fresh();
    keep(&store(&path), "shop", KEPT).await;
    let host = met(McplHost::builder(), &path).await;
    let page = "The harbour master counted ninety barges, sorted them by tonnage, and noted every skipper in a ledger. \
                Gulls, ropes, anchors, lanterns and barrels lay about. Redis was painted on one of the hulls, and a \
                customs clerk with inky fingers stamped manifests until dusk, whistling shanties from Bergen.";
    assert_eq!(injected(&host, &Turn::new("conv").user(page)).await, "");
    let about =
        format!("{page} The job queue was a table in SQLite then, and survived a power cut.");
    let text = injected(&host, &Turn::new("conv").user(about)).await;
    assert!(text.contains("The job queue"), "{text}");
}

/// A word of many memories counts with a second word, however old the memory is that has both.
#[tokio::test(start_paused = true)]
async fn two_frequent_words_find_the_memory_that_has_both() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    let both = "zither and harp: tune them in one room".to_owned();
    let one = (0..700).map(|n| {
        let word = if n % 2 == 0 { "zither" } else { "harp" };
        format!("{word} number{n} lot{}", n * 7)
    });
    // So many others that neither is in most memories.
    let neither = (0..4000).map(|n| format!("part{n} shelf{} row{}", n * 3, n * 5));
    let mut lines = String::new();
    for (n, text) in [both].into_iter().chain(one).chain(neither).enumerate() {
        writeln!(lines, "{}", json!({ "id": n.to_string(), "text": text })).unwrap();
    }
    // An import looks for no memory that says the same, which takes most of the time.
    let imported = memories.import(Some("shop".to_owned()), Cursor::new(lines));
    assert_eq!(imported.await.unwrap().added, 4701);
    let host = met(McplHost::builder(), &path).await;
    let text = injected(&host, &Turn::new("conv").user("zither with the harp")).await;
    assert!(text.contains("tune them in one room"), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(injected(&host, &Turn::new("conv").user("zither")).await, "");
    assert_eq!(everything(&memories).await.len(), 50);
}

/// Hosts of 0.5 send no words with a turn, and nothing after it: the agent's own calls say what it is about.
#[tokio::test(start_paused = true)]
async fn a_host_that_never_sends_words_gets_what_the_agent_last_asked_for() {
    let (_folder, path) = fresh();
    let memories = store(&path);
    keep(
        &memories,
        "studio",
        &[
            "The mannequin is scaled to 8-10 units.",
            "Zithers are tuned on Mondays.",
        ],
    )
    .await;
    keep(&memories, "shop", &["The mannequin in the window is sold."]).await;
    let host = met(careful(), &path).await;
    let silent = Turn::new("conv");
    // Nobody has named a project yet, and a note names none.
    assert_eq!(injected(&host, &silent).await, "");
    call(
        &host,
        "note_add",
        json!({ "text": "ask for the mannequin" }),
    )
    .await;
    assert_eq!(injected(&host, &silent).await, "");
    call(&host, "session_init", json!({ "project": "studio" })).await;
    assert_eq!(injected(&host, &silent).await, "");

    let search = json!({ "project": "studio", "query": "how large is the mannequin" });
    for (tool, arguments, found) in [
        ("search_memories", search.clone(), "The mannequin is scaled"),
        (
            "note_add",
            json!({ "text": "tune the zithers" }),
            "Zithers are tuned",
        ),
        (
            "store_memory",
            json!({ "project": "studio", "content": "A mannequin has no zither", "tags": [] }),
            "The mannequin is scaled",
        ),
    ] {
        assert!(!call(&host, tool, arguments).await.is_error(), "{tool}");
        let text = injected(&host, &silent).await;
        assert!(text.contains(found), "{tool}: {text}");
        assert!(!text.contains("shop"), "{tool}: {text}");
        // What the agent has just said is no news to it.
        assert!(!text.contains("A mannequin has no"), "{tool}: {text}");
    }

    // What was said in the conversation goes before it.
    let said = Turn::new("told").user("When are zithers tuned?");
    injected(&host, &said).await;
    let text = injected(&host, &Turn::new("told")).await;
    assert!(text.contains("Zithers are tuned"), "{text}");
    assert!(!text.contains("is scaled"), "{text}");

    // A session without a project begins anew, and so does another connection.
    call(&host, "session_init", json!({})).await;
    assert_eq!(injected(&host, &silent).await, "");
    call(&host, "search_memories", search).await;
    assert_ne!(injected(&host, &silent).await, "");
    no_failures(&host);
    let other = met(careful(), &path).await;
    assert_eq!(injected(&other, &silent).await, "");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_grants_no_words_keeps_retrieval() {
    let (_folder, path) = fresh();
    let text = "The mannequin is scaled to 8-10 units.";
    keep(&store(&path), "studio", &[text]).await;
    let host = McplHost::builder().version("0.5").grant([
        "tools",
        "pushEvents",
        "inferenceRequest",
        "contextHooks.beforeInference.inject.beforeUser",
    ]);
    let host = met(host, &path).await;
    assert_eq!(json!(host.receipt()), json!({"accepted": true}));
    call(&host, "session_init", json!({ "project": "studio" })).await;
    let search = json!({ "project": "studio", "query": "how large is the mannequin" });
    call(&host, "search_memories", search).await;
    // What the host sends without the grant is not read.
    let text = injected(&host, &Turn::new("conv").user("zither")).await;
    assert!(text.contains("The mannequin is scaled"), "{text}");
    no_failures(&host);
}

/// Some hosts of 0.4 say what they allow once in their life, and not when they connect again.
#[tokio::test(start_paused = true)]
async fn a_host_that_does_not_say_what_it_allows_gets_it_after_a_while() {
    let (_folder, path) = fresh();
    let host = met(McplHost::builder().silent(), &path).await;
    let note = json!({ "text": "ask Kim" });
    // The call waits for the host's word, as long as a silent host has.
    let begun = tokio::time::Instant::now();
    host.call_tool("note_add", note.clone()).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(60));
    // What it says later holds.
    let policy = McplGrants::new().enable(["memory.retrieval"]);
    host.update_feature_sets(&policy).await.unwrap();
    let refused = host.call_tool("note_add", note).await.unwrap_err();
    assert!(refused.to_string().contains("-32001"), "{refused}");
}

/// A host that has disabled the set, and connects again after a crash, may say nothing either.
#[tokio::test(start_paused = true)]
async fn the_turns_of_a_host_that_does_not_say_what_it_allows_are_not_stored() {
    let (_folder, path) = fresh();
    let host = met(McplHost::builder().silent(), &path).await;
    let note = json!({ "text": "ask Kim" });
    let noted = host.call_tool("note_add", note).await.unwrap();
    assert!(!noted.is_error(), "the silent host is served: {noted:?}");
    let turn = |n: usize| {
        let said = format!("Remember: the locker {n} is of guest {n}{n}");
        Turn::new("conv").user(said).assistant("Fine.")
    };
    host.notify_after_inference(&turn(1)).await.unwrap();
    // An answered call comes after what was told before it.
    host.after_inference(&turn(2)).await;
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(store(&path).status().await.unwrap().memories, 0);
    // Its word counts, also when it comes late.
    let policy = McplGrants::new().enable(["memory.extraction"]);
    host.update_feature_sets(&policy).await.unwrap();
    host.notify_after_inference(&turn(3)).await.unwrap();
    for _ in 0..200 {
        if store(&path).status().await.unwrap().memories == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the turn is not stored");
}

/// What the model reads is for the model, and not for the author of a server.
#[tokio::test(start_paused = true)]
async fn a_merging_before_the_host_s_word_is_refused_with_what_a_model_can_do() {
    let (_folder, path) = fresh();
    let host = met(McplHost::builder().version("0.5").silent(), &path).await;
    let project = json!({ "project": "shop" });
    let refused = call(&host, "consolidate_memories", project).await;
    assert!(refused.is_error(), "{refused:?}");
    let text = refused.text();
    assert!(text.contains("has not said yet"), "{text}");
    assert!(text.contains("`store_memory` with `supersedes`"), "{text}");
    assert!(!text.contains("hook") && !text.contains("policy"), "{text}");
}
