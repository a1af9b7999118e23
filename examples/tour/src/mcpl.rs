//! A host of MCPL: what the memory does around its turns, between them, and when the host goes back.

use std::{path::Path, time::Instant};

use hooks_sdk::mcpl::wire::method;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{
    mcpl_host::Connected,
    page::Page,
    server::PATIENCE,
    steps::PROJECT,
    unexpected::{Unexpected, check},
};

/// The feature sets of the server.
const RETRIEVAL: &str = "memory.retrieval";
const EXTRACTION: &str = "memory.extraction";
const CONSOLIDATION: &str = "memory.consolidation";
const PROACTIVE: &str = "memory.proactive";
const NOTES: &str = "memory.notes";

/// Two memories that say related things, and what the host's model makes of them.
const RELATED: [&str; 2] = [
    "Nightly backups go to the second disk, and a restore was tried in May",
    "Nightly backups go to the second disk at three in the morning",
];
const MERGED: &str =
    "Nightly backups go to the second disk at three in the morning, and a restore was tried in May";

/// Shows the feature sets; `stored` are the memories of the session before.
pub(super) async fn all(
    page: &mut Page,
    database: &Path,
    stored: &[String],
) -> Result<(), Unexpected> {
    let server = meet(page, database).await?;
    retrieve(page, &server, stored).await?;
    learn(page, &server).await?;
    merge(page, &server).await?;
    remind(page, &server).await?;
    roll_back(page, &server).await?;
    server.end().await?;
    page.passed("the server has ended by itself, with code 0");
    Ok(())
}

async fn meet(page: &mut Page, database: &Path) -> Result<Connected, Unexpected> {
    page.step("A host that speaks MCPL 0.4");
    page.note("The server declares feature sets, each of which the host may disable. This one enables all:");
    let server = Connected::start(database, MERGED).await?;
    let declared = server.declared();
    let sets = declared["featureSets"].as_object().into_iter().flatten();
    for (name, set) in sets {
        page.quote(&format!(
            "{name}: {}",
            set["description"].as_str().unwrap_or_default()
        ));
    }
    let names = [RETRIEVAL, EXTRACTION, CONSOLIDATION, PROACTIVE, NOTES];
    check(
        names
            .iter()
            .all(|name| declared["featureSets"][name].is_object()),
        format!("the feature sets {}", names.join(", ")),
        &declared,
    )?;
    page.passed("the four feature sets of a memory are there, and one for notes");
    Ok(server)
}

async fn retrieve(
    page: &mut Page,
    server: &Connected,
    stored: &[String],
) -> Result<(), Unexpected> {
    page.step("context/beforeInference: a turn begins");
    let says = "Why did the logins fail?";
    page.note(&format!("The user says: {says}\nNo session is open, and no agent has called a tool. The host is given:"));
    let contribution = server.turn_begins(says).await?;
    let text = contribution.text_at(hooks_sdk::mcpl::Position::BeforeUser);
    page.quote(&text);
    let ids = contribution
        .injections
        .first()
        .and_then(|one| one.metadata.as_ref()?.get("memoryIds"));
    check(
        stored
            .first()
            .zip(ids)
            .is_some_and(|(id, ids)| ids.to_string().contains(id.as_str())),
        "the memory of the failed logins, and its ID in the metadata",
        format!("{contribution:?}"),
    )?;
    page.passed("the model reads the memory before it answers");
    let unrelated = server.given("Bonjour!").await?;
    check(
        unrelated.is_empty(),
        "nothing for a turn that no memory belongs to",
        unrelated,
    )?;
    page.passed("a turn that no memory belongs to is left as it is");
    Ok(())
}

async fn learn(page: &mut Page, server: &Connected) -> Result<(), Unexpected> {
    page.step("context/afterInference: a turn has ended");
    let user =
        "Remember that releases are cut on Tuesdays.\nRemember: the key is sk-1234567890abcdef";
    page.note(&format!("The user said:\n{user}"));
    server.turn_ends(user, "I will.").await?;
    let asks = "When are releases cut?";
    // Nobody answers a notification: what is learned is there when it is there.
    let deadline = Instant::now() + PATIENCE;
    let given = loop {
        let given = server.given(asks).await?;
        if given.contains("releases are cut on Tuesdays") || Instant::now() > deadline {
            break given;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    page.note(&format!(
        "In the next turn the user asks: {asks}\nThe host is given:"
    ));
    page.quote(&given);
    check(
        given.contains("releases are cut on Tuesdays. (this conversation, "),
        "what was learned of the turn before",
        &given,
    )?;
    page.passed("what was marked is remembered");
    let key = server.given("What is the key?").await?;
    check(!key.contains("sk-1234567890abcdef"), "no secret", key)?;
    page.passed("what looks like a secret is not");
    Ok(())
}

async fn merge(page: &mut Page, server: &Connected) -> Result<(), Unexpected> {
    page.step("inference/request: memories that say related things");
    let project = json!({ "project": PROJECT });
    server.call("session_init", project.clone()).await?;
    for content in RELATED {
        let memory = json!({ "project": PROJECT, "content": content, "tags": ["backup"] });
        page.note(&format!("store_memory {memory}"));
        server.call("store_memory", memory).await?;
    }
    page.note(&format!(
        "consolidate_memories {project}\nThe server asks the host's model to write one of them:"
    ));
    let answer = server.call("consolidate_memories", project.clone()).await?;
    page.quote(&answer.text());
    let asked = server.hears(method::INFERENCE_REQUEST).await?;
    let prompt = asked["messages"][0]["content"].to_string();
    check(
        asked["featureSet"] == CONSOLIDATION && RELATED.iter().all(|one| prompt.contains(one)),
        "an inference over both memories",
        &asked,
    )?;
    page.note(&format!(
        "The agent goes on, and the text is stored when the model has written it. The next call says so:\n\
         consolidate_memories {project}"
    ));
    let mut answer = String::new();
    for _ in 0..500 {
        let again = server.call("consolidate_memories", project.clone());
        answer = again.await?.text();
        if !answer.contains("call again later") {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    page.quote(&answer);
    check(
        answer.contains("Merged 2") && answer.contains(MERGED),
        "one memory of two",
        &answer,
    )?;
    page.passed("one memory stands in the place of two");

    let id = answer
        .split("ID: ")
        .nth(1)
        .and_then(|rest| rest.get(..36))
        .unwrap_or_default();
    let delete = json!({ "project": PROJECT, "memory_id": id });
    page.note(&format!("delete_memory {delete}"));
    server.call("delete_memory", delete).await?;
    let search = json!({ "project": PROJECT, "query": "nightly backups", "mode": "full" });
    let found = server.call("search_memories", search).await?.text();
    check(
        RELATED.iter().all(|one| found.contains(one)) && !found.contains(MERGED),
        "both memories, as they were",
        &found,
    )?;
    page.passed("nothing was lost: without it the two are found again");
    Ok(())
}

async fn remind(page: &mut Page, server: &Connected) -> Result<(), Unexpected> {
    page.step("push/event: a reminder is due");
    let at = Timestamp::now() + SignedDuration::from_millis(700);
    let reminder = json!({ "project": PROJECT, "text": "Follow up with Alice today", "at": format!("{at:.3}") });
    page.note(&format!("remind_me {reminder}"));
    let answer = server.call("remind_me", reminder).await?;
    page.quote(&answer.text());
    page.note("Nobody calls a tool. What the host hears, when it is due:");
    let event = server.hears(method::PUSH_EVENT).await?;
    page.quote(&format!("{event:#}"));
    check(
        event["featureSet"] == PROACTIVE
            && event["payload"]["content"][0]["text"] == "Follow up with Alice today"
            && Timestamp::now() >= at - SignedDuration::from_millis(1),
        "the reminder, and not too early",
        &event,
    )?;
    page.passed("the host is told by itself, and may wake its model");
    Ok(())
}

async fn roll_back(page: &mut Page, server: &Connected) -> Result<(), Unexpected> {
    page.step("state/rollback: the user takes a turn back");
    let mut checkpoints = Vec::new();
    let mut listed = Vec::new();
    for text in ["Ask Kim about the invoice", "Delete the old queue"] {
        let note = json!({ "text": text });
        page.note(&format!("note_add {note}"));
        let answer = server.call("note_add", note).await?;
        page.quote(&answer.text());
        let state = &answer.as_value()["state"];
        checkpoints.push(state["checkpoint"].as_str().unwrap_or_default().to_owned());
        listed.push(answer.text());
    }
    page.note("The host goes back to the checkpoint that the first answer carried:\nnote_list {}");
    let rolled = server.roll_back(NOTES, &checkpoints[0]).await?;
    check(
        rolled.success,
        "the server goes back",
        format!("{rolled:?}"),
    )?;
    let notes = server.call("note_list", json!({})).await?.text();
    page.quote(&notes);
    check(
        notes == listed[0],
        format!("the notes as they were: {}", listed[0]),
        &notes,
    )?;
    page.passed("the notes are what they were after the first call");
    Ok(())
}
