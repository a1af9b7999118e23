//! Hooks of every kind, and what each becomes.

use std::io;

use hooks_sdk::prelude::*;
use rmcp::{
    ServerHandler, handler::server::wrapper::Parameters, schemars, tool, tool_handler, tool_router,
};

pub(crate) struct Archive {
    notes: Vec<String>,
}

// ANCHOR: text
/// A text: the words are known when the server is compiled.
#[lifecycle::hook(
    post_tool_use,
    matcher(tool_name = "Bash", input_contains = "git commit"),
    strength = suggestion,
    text = "You just committed to {project_name}. Is there something worth a note?",
    server = Archive
)]
struct CommitNote;
// ANCHOR_END: text

// ANCHOR: tool
/// A tool of the author's: the client calls it, with these arguments.
#[lifecycle::hook(
    session_start,
    strength = important,
    context_tool = "search_notes",
    context_tool_args(query = "{project_name}", limit = 3),
    server = Archive
)]
struct KnownNotes;
// ANCHOR_END: tool

// ANCHOR: function
/// Notes about the tool that the agent calls; they arrive with its result.
#[lifecycle::hook(pre_tool_use, matcher(tool_name = "mcp__deploy__*"), strength = required)]
async fn deploy_notes(archive: &Archive, call: &PreToolUse) -> Option<String> {
    let tool = call.tool_name.as_deref()?;
    let note = archive.notes.iter().find(|note| note.contains(tool))?;
    Some(format!("Before the next call of {tool}: {note}"))
}
// ANCHOR_END: function

// ANCHOR: methods
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Search {
    query: String,
    limit: Option<usize>,
}

#[hooks_sdk::hooks]
#[tool_router]
impl Archive {
    /// A tool like any other; the hook `KnownNotes` names it.
    #[tool]
    async fn search_notes(&self, Parameters(search): Parameters<Search>) -> String {
        let found = self
            .notes
            .iter()
            .filter(|note| note.contains(&search.query));
        let found: Vec<&str> = found
            .take(search.limit.unwrap_or(10))
            .map(String::as_str)
            .collect();
        found.join("\n")
    }

    /// How many notes there are. A tool that agents call, and a hook at `pre_request` besides.
    #[tool]
    #[lifecycle::hook(pre_request, strength = suggestion)]
    async fn count_notes(&self) -> String {
        format!("{} notes", self.notes.len())
    }

    /// What changed on disk since the session began.
    #[lifecycle::hook(post_request, strength = suggestion, deadline = "500ms", posture = proceed)]
    async fn changes(&self, _turn: &PostRequest) -> Result<String, io::Error> {
        Err(io::Error::other("the disk is gone"))
    }
}
// ANCHOR_END: methods

#[tool_handler]
impl ServerHandler for Archive {}

#[cfg(test)]
mod tests {
    use hooks_sdk::{
        lifecycle::{Event, Occasion, Variables},
        testing::TestHost,
    };
    use serde_json::{Value, json};

    use super::*;

    async fn host() -> TestHost {
        let notes = vec![
            "mcp__deploy__push needs a green build".to_owned(),
            "annal uses tabs".to_owned(),
        ];
        TestHost::connect(Archive { notes }.with_hooks().unwrap())
            .await
            .unwrap()
    }

    fn declared(host: &TestHost, event: &str) -> Value {
        let declared = host.declarations().into_iter();
        let mut declared = declared.map(|each| serde_json::to_value(each).unwrap());
        declared.find(|each| each["event"] == event).unwrap()
    }

    async fn fired(host: &TestHost, event: Event, variables: Variables) -> Vec<String> {
        let report = host.fire(Occasion::new(event, variables)).await;
        report
            .injected
            .into_iter()
            .map(|injected| injected.text)
            .collect()
    }

    #[tokio::test]
    async fn each_kind_is_declared_as_the_page_says() {
        let host = host().await;
        assert!(declared(&host, "post_tool_use").get("context").is_some());
        let start = declared(&host, "session_start");
        assert_eq!(start["context_tool"], "search_notes");
        assert_eq!(
            start["context_tool_args"],
            json!({"query": "{project_name}", "limit": 3})
        );
        let call = declared(&host, "pre_tool_use");
        assert_eq!(call["context_tool"], "deploy_notes");
        assert_eq!(call["context_tool_args"].as_object().unwrap().len(), 4);
        let turn = declared(&host, "pre_request");
        assert_eq!(
            (&turn["context_tool"], turn.get("context_tool_args")),
            (&json!("count_notes"), None)
        );
        let tools = host.list_tools().await.unwrap();
        let names: Vec<&str> = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap())
            .collect();
        assert_eq!(
            names,
            ["count_notes", "search_notes", "deploy_notes", "changes"]
        );
    }

    #[tokio::test]
    async fn each_kind_answers() {
        let host = host().await;
        let start = Variables::new().project_name("annal");
        assert_eq!(
            fired(&host, Event::SessionStart, start).await,
            ["annal uses tabs"]
        );
        let call = Variables::new()
            .tool_name("mcp__deploy__push")
            .tool_input("{}");
        let expected =
            "Before the next call of mcp__deploy__push: mcp__deploy__push needs a green build";
        assert_eq!(fired(&host, Event::PreToolUse, call).await, [expected]);
        assert_eq!(
            fired(&host, Event::PreRequest, Variables::new()).await,
            ["2 notes"]
        );
        assert_eq!(
            fired(&host, Event::PostRequest, Variables::new()).await,
            [""; 0]
        );
    }
}
