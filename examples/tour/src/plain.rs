//! A client that knows no hooks, and what its agent is told nevertheless.

use std::path::Path;

use serde_json::json;

use super::{
    page::Page,
    server::Server,
    unexpected::{Unexpected, check},
};

pub(super) async fn meet(page: &mut Page, database: &Path) -> Result<(), Unexpected> {
    page.step("A client that knows no hooks, on MCP 2025-11-25");
    let server = Server::start(database, "2025-11-25", json!({})).await?;
    let handshake = server.handshake();
    check(
        !handshake["capabilities"].to_string().contains("hooks"),
        "no hook is declared to a client that did not ask",
        &handshake["capabilities"],
    )?;
    page.note("The instructions in the answer to `initialize`:");
    let instructions = handshake["instructions"].as_str().unwrap_or_default();
    page.quote(instructions);

    let asked = json!({ "name": "hooks_session_start" });
    let prompt = server.request("prompts/get", asked).await?;
    let guidance = prompt["messages"][0]["content"]["text"].as_str();
    check(
        guidance.is_some_and(|text| text.contains("MUST:")) && instructions.contains("## MUST"),
        "instructions and a prompt `hooks_session_start` that have the guidance",
        &prompt,
    )?;
    page.passed(
        "the guidance stands behind the server's own words, and in the prompt `hooks_session_start`",
    );
    server.end().await
}
