//! The events of the session: what the client fires, and what reaches the agent.

use hooks_sdk::lifecycle::{Declaration, Event, Occasion, Variables};
use serde_json::json;

use super::{
    page::Page,
    server::{NAME, Server},
    show,
    steps::PROJECT,
    unexpected::{Unexpected, check},
};

fn occasion(event: Event, variables: Variables) -> Occasion {
    Occasion::new(event, variables.project_name(PROJECT).session_id("tour"))
}

/// The client's own shell tool has run a command.
fn shell(page: &mut Page, command: &str, output: &str) -> Occasion {
    let input = json!({ "command": command }).to_string();
    page.note(&format!(
        "The client's tool `Bash` has run with {input}; the client fires the event."
    ));
    let variables = Variables::new()
        .tool_name("Bash")
        .tool_input(input)
        .tool_output(output);
    occasion(Event::PostToolUse, variables)
}

pub(super) async fn commit(
    page: &mut Page,
    server: &Server,
    declared: &[Declaration],
) -> Result<(), Unexpected> {
    page.step("post_tool_use: after a commit");
    let occasion = shell(page, "git commit -m 'Wait for the clock'", "1 file changed");
    let report = server.fire(occasion).await?;
    page.note("What reaches the agent:");
    page.quote(&report.to_string());
    let heading = format!("Hook of the MCP server `{NAME}` (suggestion):\n> You just committed");
    check(
        report.injected.len() == 1 && report.to_string().starts_with(&heading),
        "the reminder to store what was learned",
        show::report(&report, declared),
    )?;
    page.passed("the reminder is before the agent");
    Ok(())
}

pub(super) async fn list_files(
    page: &mut Page,
    server: &Server,
    declared: &[Declaration],
) -> Result<(), Unexpected> {
    page.step("post_tool_use: after something else");
    let occasion = shell(page, "ls", "Cargo.toml src");
    let report = server.fire(occasion).await?;
    let shown = show::report(&report, declared);
    page.note("Nothing reaches the agent:");
    page.quote(&shown);
    let is_skipped = report.injected.is_empty() && report.failed.is_empty();
    check(
        is_skipped && report.skipped.len() == 1,
        "the hook is skipped",
        shown,
    )?;
    page.passed("the agent is left alone");
    Ok(())
}

/// Fires `session_start` and returns what reaches the agent.
pub(super) async fn begin(
    page: &mut Page,
    server: &Server,
    declared: &[Declaration],
    stored: &[String],
) -> Result<String, Unexpected> {
    let report = server
        .fire(occasion(Event::SessionStart, Variables::new()))
        .await?;
    let call = server.last_call().unwrap_or_default();
    page.note(&format!(
        "The client calls the declared tool, the project's name filled in:\n{} {}",
        call["name"].as_str().unwrap_or("none"),
        call["arguments"]
    ));
    check(
        call["name"] == "search_memories" && call["arguments"]["project"] == PROJECT,
        format!("a call of `search_memories` for the project `{PROJECT}`"),
        call,
    )?;
    let text = report.to_string();
    check(
        report.injected.len() == 3 && stored.iter().all(|id| text.contains(id)),
        "the three memories, and guidance of two strengths",
        show::report(&report, declared),
    )?;
    check(
        text.contains("Call `session_init` before") && text.contains("Call `search_memories` with"),
        "what the agent is to call, as guidance",
        &text,
    )?;
    Ok(text)
}

pub(super) async fn end(
    page: &mut Page,
    server: Server,
    declared: &[Declaration],
) -> Result<(), Unexpected> {
    page.step("session_end: the agent is done, and the client closes the pipe");
    let report = server
        .fire(occasion(Event::SessionEnd, Variables::new()))
        .await?;
    page.note("What reaches the agent:");
    page.quote(&report.to_string());
    check(
        report.injected.len() == 1 && report.to_string().contains("This session is ending."),
        "the reminder that the session ends",
        show::report(&report, declared),
    )?;
    server.end().await?;
    page.passed("the agent is reminded, and the server has ended by itself, with code 0");
    Ok(())
}
