//! The session: what is refused before it is open, what opens it, and how a later call names it.

use serde_json::{Value, json};

use super::{
    page::Page,
    server::Server,
    steps::PROJECT,
    unexpected::{Unexpected, check},
};

/// Where the answer that opened a session has its handle, on a generation of MCP that has no sessions.
const HANDLE: &str = "hooks-sdk/session";

/// The agent does not read what it was told, is refused, and does as the refusal says.
pub(super) async fn open(page: &mut Page, server: &Server) -> Result<(), Unexpected> {
    page.step("The agent calls a tool before it has opened the session");
    let project = json!({ "project": PROJECT });
    page.note(&format!("list_topics {project}"));
    let refused = server.call("list_topics", project.clone()).await?;
    page.quote(&refused.text());
    check(
        refused.is_error() && refused.text().contains("You MUST call session_init first"),
        "a refusal that says to call `session_init`",
        refused.as_value(),
    )?;
    page.passed("the tool did not run, and the agent is told what to call");

    page.note(&format!("session_init {project}"));
    let opened = server.call("session_init", project.clone()).await?;
    page.quote(&opened.text());
    check(!opened.is_error(), "the session is open", opened.text())?;
    page.note(&format!("list_topics {project}"));
    let answer = server.call("list_topics", project).await?;
    page.quote(&answer.text());
    check(!answer.is_error(), "the topics", answer.text())?;
    page.passed("the same call is answered");
    Ok(())
}

/// On a generation of MCP without sessions the agent is given a handle, and passes it on.
pub(super) async fn open_by_handle(page: &mut Page, server: &Server) -> Result<(), Unexpected> {
    let mut arguments = json!({ "project": PROJECT });
    page.note(&format!(
        "MCP has no session any more, so the answer of `session_init` has a handle:\nsession_init {arguments}"
    ));
    let opened = server.call("session_init", arguments.clone()).await?;
    page.quote(&opened.text());
    let blocks = opened.as_value()["content"].as_array();
    let last = blocks.and_then(|blocks| blocks.last()?["text"].as_str());
    let handle = opened.as_value()["_meta"][HANDLE].as_str();
    let told = last.and_then(|text| text.strip_prefix("session: ")?.lines().next());
    check(
        !opened.is_error() && handle.is_some() && handle == told,
        format!("a handle as the last text, and the same one in `_meta[\"{HANDLE}\"]`"),
        opened.as_value(),
    )?;

    let nameless = server.call("list_topics", arguments.clone()).await?;
    check(
        nameless.is_error(),
        "a refusal of the call that names no session",
        nameless.text(),
    )?;
    arguments["session"] = handle.map_or(Value::Null, Value::from);
    page.note(&format!("list_topics {arguments}"));
    let answer = server.call("list_topics", arguments).await?;
    page.quote(&answer.text());
    check(!answer.is_error(), "the topics", answer.text())?;
    page.passed("the call that names the session is answered, and one without it is refused");
    Ok(())
}
