//! A session's states: an enum, machines made at run time, settings, and what an agent is told.

use std::{path::Path, time::Duration};

use hooks_sdk::{
    core::BuildErrors,
    prelude::*,
    session::{Listing, Machine, StandardState, State, diagram},
    store::{SqliteStore, StoreError},
    testing::TestHost,
};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use serde_json::json;

// ANCHOR: states
/// The states of a session with the server for notes.
#[derive(SessionState, Clone, Copy)]
#[session(reset(session_clear))]
enum Stage {
    #[stage(start, allow(search_notes), next(session_init => Ready))]
    New,
    /// Look through the reports before you change anything.
    #[stage(allow(search_notes), next(check_reports => Working))]
    Ready,
    #[stage(allow(any), deny(delete_all))]
    Working,
}
// ANCHOR_END: states

struct Reports;

#[tool_router]
impl Reports {
    #[tool]
    async fn search_notes(&self) -> String {
        "nothing found".to_owned()
    }

    #[tool]
    async fn check_reports(&self) -> String {
        "all is well".to_owned()
    }

    #[tool]
    async fn write_note(&self) -> String {
        "written".to_owned()
    }

    #[tool]
    async fn delete_all(&self) -> String {
        "gone".to_owned()
    }

    #[tool]
    async fn session_clear(&self) -> String {
        "cleared".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Reports {}

// ANCHOR: settings
fn sessions(file: &Path) -> Result<Sessions, StoreError> {
    let store = SqliteStore::open(file)?.with_capacity(10_000);
    Ok(Sessions::of::<Stage>()
        .store(store)
        .time_to_live(Duration::from_secs(60 * 60))
        .wait(Duration::from_secs(10))
        .argument("notes_session"))
}
// ANCHOR_END: settings

// ANCHOR: run_time
fn machine() -> Result<Machine, BuildErrors> {
    Machine::builder()
        .state(State::new("out").start().next_if(
            "log_in",
            |input| input.contains_key("user"),
            "in",
        ))
        .state(State::new("in").text("You are logged in.").allow_any())
        .reset("log_out")
        .build()
}
// ANCHOR_END: run_time

// ANCHOR: standard
fn document() -> Result<Machine, BuildErrors> {
    Machine::standard()
        .allow("server_info")
        .ready("check_reports")
        .reset("session_clear")
        .build()
}
// ANCHOR_END: standard

// ANCHOR: listing
fn reference() -> Machine {
    Listing::default()
        .init_tool("session_init")
        .init_tool("server_info")
        .trigger("session_init", StandardState::Initialized)
        .requires_init("deploy")
        .machine()
}
// ANCHOR_END: listing

#[tokio::test]
async fn the_states_are_enforced() {
    let server = Reports.with_hooks().unwrap().session::<Stage>();
    let host = TestHost::connect(server).await.unwrap();
    let call = async |tool: &str| {
        let answer = host.call_tool(tool, json!({})).await.unwrap();
        (answer.is_error(), answer.text())
    };
    let refused = "Tool \"write_note\" requires session initialization. You MUST call session_init first before \
                   using this tool. Available now: search_notes.";
    assert_eq!(call("write_note").await, (true, refused.to_owned()));
    let text = "Look through the reports before you change anything.";
    assert_eq!(call("session_init").await, (false, text.to_owned()));
    let refused = "Tool \"write_note\" is not available in the session's state \"Ready\". It becomes available \
                   after check_reports. Available now: search_notes.\n\nLook through the reports before you change anything.";
    assert_eq!(call("write_note").await, (true, refused.to_owned()));
    call("check_reports").await;
    assert_eq!(call("write_note").await, (false, "written".to_owned()));
    assert!(call("delete_all").await.0);
    call("session_clear").await;
    assert!(call("write_note").await.0);
}

// ANCHOR: generations
#[tokio::test]
async fn both_generations_keep_the_session() {
    for version in ["2025-11-25", "2026-07-28"] {
        let server = Reports.with_hooks().unwrap().session::<Stage>();
        let builder = TestHost::builder().version(version);
        let host = builder.connect(server).await.unwrap();
        let opened = host.call_tool("session_init", json!({})).await.unwrap();
        assert_eq!(opened.session().is_some(), version == "2026-07-28");
        host.call_tool("check_reports", json!({})).await.unwrap();
        let written = host.call_tool("write_note", json!({})).await.unwrap();
        assert_eq!(written.text(), "written", "{version}");
    }
}
// ANCHOR_END: generations

// ANCHOR: refusal
#[derive(SessionState, Clone, Copy)]
#[session(destructive(deploy))]
enum Release {
    #[stage(start, allow(list), next(plan => Planned))]
    New,
    #[stage(allow(list), next(deploy => Deployed))]
    Planned,
    #[stage(next(roll_back => Planned), refusal = "`{tool}` has to wait for the next release.")]
    Deployed,
}
// ANCHOR_END: refusal

#[test]
fn refusals_are_worded() {
    let machine = Release::machine().unwrap();
    let told = |stage: Release, tool: &str| {
        let refusal = machine.check(stage.index(), tool);
        refusal.unwrap_err().to_string()
    };
    assert_eq!(
        told(Release::Planned, "roll_back"),
        "Tool \"roll_back\" is not available in the session's state \"Planned\". Available now: list."
    );
    assert_eq!(
        told(Release::Deployed, "plan"),
        "`plan` has to wait for the next release."
    );
}

#[test]
fn the_picture_is_what_the_book_shows() {
    let picture = diagram::mermaid(&Stage::machine().unwrap());
    assert_eq!(picture, include_str!("session.mmd"));
}

#[test]
fn machines_are_made_at_run_time_too() {
    let machine = machine().unwrap();
    assert!(!machine.allows(machine.start(), "work"));
    let document = document().unwrap();
    assert!(document.allows(document.start(), "server_info"));
    let reference = reference();
    assert!(reference.allows(reference.start(), "work"));
    assert!(!reference.allows(reference.start(), "deploy"));
    let folder = tempfile::tempdir().unwrap();
    let _sessions = sessions(&folder.path().join("sessions.db")).unwrap();
}
