//! The hooks as a client meets them.

use hooks_sdk::{
    lifecycle::{Event, Occasion, Variables},
    prelude::*,
    testing::TestHost,
};
use rmcp::serde_json::json;

use super::{AfterCommit, Notes, Stage, policy};

/// The server with an empty file of its own.
fn notes(name: &str) -> Notes {
    let file = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    _ = std::fs::remove_file(&file);
    Notes { file }
}

#[tokio::test]
async fn a_commit_brings_the_reminder() {
    let server = notes("commit").with_hooks().unwrap();
    let host = TestHost::connect(server).await.unwrap();
    let commit = Variables::new()
        .project_name("annal")
        .tool_name("Bash")
        .tool_input(r#"{"command":"git commit -m x"}"#);
    let report = host.fire(Occasion::new(Event::PostToolUse, commit)).await;
    let text = &report.injected[0].text;
    assert!(text.starts_with("You just committed to annal."), "{text}");
}

#[tokio::test]
async fn a_session_begins_with_the_latest_note() {
    let server = notes("session").with_hooks().unwrap();
    assert!(server.registry().get(AfterCommit::ID).is_some());
    let host = TestHost::connect(server).await.unwrap();
    let start = || Occasion::new(Event::SessionStart, Variables::new());
    let report = host.fire(start()).await;
    let text = &report.injected[0].text;
    assert!(text.starts_with("There is no note yet."), "{text}");

    let note = json!({"text": "The parser is in `lines.rs`."});
    host.call_tool("add_note", note).await.unwrap();
    assert_eq!(
        host.fire(start()).await.to_string(),
        "Hook of the MCP server `server` (important):\n\
         > The latest note: The parser is in `lines.rs`."
    );
}

#[tokio::test]
async fn notes_are_cleared_after_a_look_and_a_yes() {
    let server = notes("clear").with_hooks().unwrap();
    let server = server.session::<Stage>().policy(policy());
    let yes = json!({"action": "accept", "content": {"confirm": true}});
    let host = TestHost::builder().user(move |_| yes.clone());
    let host = host.connect(server).await.unwrap();
    let note = json!({"text": "The parser is in `lines.rs`."});
    host.call_tool("add_note", note).await.unwrap();

    let early = host.call_tool("clear_notes", json!({})).await.unwrap();
    assert!(early.text().contains("read_notes"), "{}", early.text());
    host.call_tool("read_notes", json!({})).await.unwrap();
    let cleared = host.call_tool("clear_notes", json!({})).await.unwrap();
    assert_eq!(cleared.text(), "cleared");
}
