//! Where a host says little: the position it grants, a turn without a message, and words that say nothing.

use std::{io::Cursor, time::Duration};

use hooks_sdk::testing::{
    McplHost, McplHostBuilder,
    mcpl::{McplGrants, Turn},
};
use serde_json::json;

use super::{call, eventually, fresh, injected, keep, met, store};

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

const STUDIO: &[&str] = &[
    "The mannequin is scaled to 8-10 units.",
    "Zithers are tuned on Mondays.",
];

#[tokio::test(start_paused = true)]
async fn a_turn_without_a_message_goes_by_what_was_said_last() {
    let (_folder, path) = fresh();
    keep(&path, "studio", STUDIO).await;
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
    eventually(async || !injected(&host, &silent).await.is_empty()).await;
    let text = injected(&host, &silent).await;
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
    keep(&path, "shop", KEPT).await;
    let host = met(McplHost::builder(), &path).await;
    for said in [
        "because",
        "ok",
        "An old silent pond / A frog jumps into the pond / Splash! Silence again.",
        "Write a haiku about autumn.",
        "What is the capital of France?",
        "What's the weather like today?",
        "danke, das ist gut so",
        "merci beaucoup",
        "2 + 2?",
        "continue",
    ] {
        let text = injected(&host, &Turn::new("conv").user(said)).await;
        assert_eq!(text, "", "{said}");
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
    keep(&path, "shop", KEPT).await;
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
    let mut texts = vec!["zither and harp: tune them in one room".to_owned()];
    texts.extend((0..700).map(|n| format!("{} number{n}", ["zither", "harp"][n % 2])));
    // So many others that neither is in most memories.
    texts.extend((0..4000).map(|n| format!("part{n} shelf{}", n * 3)));
    let lines = texts.iter().enumerate();
    let lines =
        lines.map(|(n, text)| format!("{}\n", json!({ "id": n.to_string(), "text": text })));
    // An import looks for no memory that says the same, which takes most of the time.
    let lines = Cursor::new(lines.collect::<String>());
    let memories = store(&path);
    let imported = memories.import(Some("shop".to_owned()), lines).await;
    assert_eq!(imported.unwrap().added, 4701);
    let host = met(McplHost::builder(), &path).await;
    let text = injected(&host, &Turn::new("conv").user("zither with the harp")).await;
    assert!(text.contains("tune them in one room"), "{text}");
    assert_eq!(text.lines().count(), 3, "{text}");
    assert_eq!(injected(&host, &Turn::new("conv").user("zither")).await, "");
}

/// Hosts of 0.5 send no words with a turn, and nothing after it: the agent's own calls say what it is about.
#[tokio::test(start_paused = true)]
async fn a_host_that_never_sends_words_gets_what_the_agent_last_asked_for() {
    let (_folder, path) = fresh();
    keep(&path, "studio", STUDIO).await;
    keep(&path, "shop", &["The mannequin in the window is sold."]).await;
    let host = met(careful(), &path).await;
    let silent = Turn::new("conv");
    // Nobody has named a project yet, and a note names none.
    for (tool, arguments) in [
        ("note_add", json!({ "text": "ask for the mannequin" })),
        ("session_init", json!({ "project": "studio" })),
    ] {
        call(&host, tool, arguments).await;
        assert_eq!(injected(&host, &silent).await, "");
    }
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
    // Without a project, a new session begins.
    call(&host, "session_init", json!({})).await;
    assert_eq!(injected(&host, &silent).await, "");
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
    eventually(async || store(&path).status().await.unwrap().memories == 1).await;
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
