//! The steps of the session in their order, with what the agent does of its own accord.

use std::path::Path;

use hooks_sdk::lifecycle::{Declaration, Event};
use serde_json::{Value, json};

use super::{
    events, mcpl,
    page::Page,
    plain,
    server::Server,
    session,
    show::{self, clip},
    unexpected::{Unexpected, check},
};

/// The project of everything that the tour stores.
pub(super) const PROJECT: &str = "hooks-tour";

/// What the agent learned: in content, tags and source.
const LEARNED: [(&str, &[&str], &str); 3] = [
    (
        "Logins failed right after a restart: the container's clock was two minutes behind, so the \
         issue time of each token lay in the future. Fixed by waiting for the time service.",
        &["auth", "root-cause"],
        "src/auth/token.rs",
    ),
    (
        "The job queue is a table in SQLite and not Redis: one machine is enough, and it survives a \
         power cut.",
        &["queue", "architecture"],
        "docs/queue.md",
    ),
    (
        "Sending a refused webhook again does not help: the receiver answers 200 and drops bodies \
         over 1 MB.",
        &["webhook", "dead-end"],
        "src/webhook.rs",
    ),
];

/// The events of what is declared: three hooks, and guidance of two strengths for `session_start`.
const EVENTS: [&str; 5] = [
    "post_tool_use",
    "session_end",
    "session_start",
    "session_start",
    "session_start",
];

/// Lives the session on one generation of MCP, comes back on the other one, and again without hooks.
pub(super) async fn all(page: &mut Page, database: &Path) -> Result<(), Unexpected> {
    let server = meet(page, database).await?;
    let declared = server.declarations();
    session::open(page, &server).await?;
    let stored = store(page, &server).await?;
    events::commit(page, &server, &declared).await?;
    events::list_files(page, &server, &declared).await?;
    page.step("session_start: another session of the project begins");
    let told = events::begin(page, &server, &declared, &stored).await?;
    page.note("What reaches the agent:");
    page.quote(&told);
    page.passed("the session begins with what earlier ones left, and with what to call first");
    search(page, &server, &stored).await?;
    mistake(page, &server).await?;
    events::end(page, server, &declared).await?;
    come_back(page, database, &declared, &stored).await?;
    plain::meet(page, database).await?;
    mcpl::all(page, database, &stored).await
}

/// The capabilities of a client that supports every event.
fn every_event() -> Value {
    json!({ "hooks": { "supported_events": Event::ALL } })
}

async fn meet(page: &mut Page, database: &Path) -> Result<Server, Unexpected> {
    page.step("The server starts and meets its client, on MCP 2025-11-25");
    page.note(
        "In `initialize` the client names the events that it supports; the server declares its hooks:",
    );
    let server = Server::start(database, "2025-11-25", every_event()).await?;
    let declared = server.declarations();
    for one in &declared {
        page.quote(&show::declaration(one));
    }
    let mut events: Vec<String> = declared.iter().map(|one| show::word(&one.event)).collect();
    events.sort_unstable();
    check(
        events == EVENTS,
        format!("one hook each for {}", EVENTS.join(", ")),
        events.join(", "),
    )?;
    page.passed("three hooks are declared, and the guidance of a session's start, by its strength");
    Ok(server)
}

async fn come_back(
    page: &mut Page,
    database: &Path,
    declared: &[Declaration],
    stored: &[String],
) -> Result<(), Unexpected> {
    page.step("A new process with the same database, on MCP 2026-07-28");
    let server = Server::start(database, "2026-07-28", every_event()).await?;
    let again = server.declarations();
    page.note("The answer to `server/discover` declares:");
    for one in &again {
        page.quote(&show::heading(one));
    }
    check(
        again == declared,
        format!("the same declarations as before: {declared:#?}"),
        format!("{again:#?}"),
    )?;
    page.passed("the hooks are declared as before, word for word");
    let told = events::begin(page, &server, declared, stored).await?;
    page.note("What reaches the agent, before the same guidance:");
    page.quote(told.split("\n\n").next().unwrap_or_default());
    page.passed("the session begins as before");
    session::open_by_handle(page, &server).await?;
    server.end().await?;
    page.passed("the server has ended by itself, with code 0");
    Ok(())
}

/// Returns the ids of what was stored.
async fn store(page: &mut Page, server: &Server) -> Result<Vec<String>, Unexpected> {
    page.step("The agent stores what it learned");
    let memory =
        |(content, tags, source)| json!({ "content": content, "tags": tags, "source": source });
    let [first, rest @ ..] = LEARNED;
    let mut one = memory(first);
    one["project"] = PROJECT.into();
    let rest: Vec<Value> = rest.into_iter().map(memory).collect();
    let batch = json!({ "project": PROJECT, "memories": rest });

    let mut ids = Vec::new();
    for (tool, arguments) in [("store_memory", one), ("store_batch", batch)] {
        page.note(&format!("{tool} {}", clip(&arguments.to_string(), 100)));
        let answer = server.call(tool, arguments).await?;
        page.quote(&answer.text());
        check(!answer.is_error(), "the memories are stored", answer.text())?;
        ids.extend(answer.text().lines().filter_map(id));
    }
    // A memory that an earlier tour left in the same file is not stored again; its ID is the answer.
    check(ids.len() == LEARNED.len(), "three IDs", ids.join(", "))?;
    page.passed("three memories are on disk");
    Ok(ids)
}

/// The ID that a line of an answer gives.
fn id(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("ID: ")?;
    let id = rest
        .chars()
        .take_while(|c| c.is_ascii_hexdigit() || *c == '-');
    Some(id.collect())
}

async fn search(page: &mut Page, server: &Server, stored: &[String]) -> Result<(), Unexpected> {
    page.step("The agent searches");
    let arguments = json!({ "project": PROJECT, "query": "why do logins fail?" });
    page.note(&format!("search_memories {arguments}"));
    let answer = server.call("search_memories", arguments).await?;
    page.quote(&answer.text());
    let first = stored.first().is_some_and(|id| answer.text().contains(id));
    check(
        !answer.is_error() && first,
        "the memory of the failed logins",
        answer.text(),
    )?;
    page.passed("the memory is found by its words");
    Ok(())
}

async fn mistake(page: &mut Page, server: &Server) -> Result<(), Unexpected> {
    page.step("The agent makes a mistake");
    let arguments = json!({ "project": PROJECT, "query": "logins", "mode": "deep" });
    page.note(&format!("search_memories {arguments}"));
    let answer = server.call("search_memories", arguments).await?;
    page.quote(&answer.text());
    let text = answer.text();
    let is_clear = text.contains("`mode`") && text.contains("`deep`") && text.contains("help:");
    check(
        answer.is_error() && is_clear,
        "an error that names the argument and what to change",
        answer.as_value(),
    )?;
    page.passed("the answer is an error that says what to change");
    Ok(())
}
