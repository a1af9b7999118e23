//! The three hooks: how they are declared on the wire, and what they put before an agent.

use std::path::Path;

use hooks_sdk::{
    lifecycle::{Event, Occasion, Variables, host::Reason},
    testing::TestHost,
};
use memory_server::{
    Memory,
    store::{Draft, Store},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::place::database;

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const STATELESS: &str = "2026-07-28";
pub(crate) const VERSIONS: [&str; 2] = [LEGACY, STATELESS];

async fn host(database: &Path, version: &str, capabilities: Value) -> TestHost {
    let server = Memory::open(database).unwrap().hooked().unwrap();
    let host = TestHost::builder()
        .version(version)
        .capabilities(capabilities);
    host.connect(server).await.unwrap()
}

async fn declared(version: &str, capabilities: Value) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let host = host(&database(&folder, "m.db"), version, capabilities).await;
    host.handshake()["capabilities"].clone()
}

/// The declarations as they stand on the wire, texts checked apart.
fn expected() -> Value {
    json!([
        {
            "event": "session_start", "priority": "important",
            "context_tool": "search_memories",
            "context_tool_args": {
                "query": "recent work and decisions", "mode": "probe", "project": "{project_name}"
            }
        },
        {
            "event": "post_tool_use", "priority": "suggestion",
            "matcher": { "tool_name": "Bash", "input_contains": "git commit" },
            "context": include_str!("../../src/after_commit.md").trim()
        },
        {
            "event": "session_end", "priority": "suggestion",
            "context": include_str!("../../src/session_ending.md").trim()
        }
    ])
}

/// Guidance is declared beside them, and has tests of its own.
fn is_guidance(declaration: &Value) -> bool {
    declaration["context"]
        .as_str()
        .is_some_and(|text| text.starts_with("MUST:") || text.starts_with("SHOULD:"))
}

#[track_caller]
fn is_expected(capability: &Value, expected: &Value) {
    let mut declarations = capability["declarations"].clone();
    let listed = declarations.as_array_mut().expect("declarations");
    listed.retain(|declaration| !is_guidance(declaration));
    for declaration in listed {
        if let Some(text) = declaration["context"].as_str() {
            declaration["context"] = text.trim().into();
        }
    }
    assert_eq!(&declarations, expected);
}

#[tokio::test]
async fn they_are_declared_where_they_were_asked_for_on_both_generations() {
    let hooks = json!({ "supported_events": Event::ALL });
    for version in VERSIONS {
        let capabilities = declared(version, json!({ "hooks": hooks })).await;
        is_expected(&capabilities["hooks"], &expected());
        is_expected(&capabilities["experimental"]["hooks"], &expected());
        assert!(capabilities["tools"].is_object(), "{capabilities}");

        let asked = json!({ "experimental": { "hooks": hooks } });
        let capabilities = declared(version, asked).await;
        is_expected(&capabilities["experimental"]["hooks"], &expected());
        assert!(capabilities.get("hooks").is_none(), "{capabilities}");
    }
}

#[tokio::test]
async fn only_events_that_the_client_supports_are_declared() {
    let hooks = json!({ "supported_events": ["session_end", "session_start", "no_such_event"] });
    let all = expected();
    for version in VERSIONS {
        let capabilities = declared(version, json!({ "hooks": hooks })).await;
        is_expected(&capabilities["hooks"], &json!([all[0], all[2]]));
        let none = json!({ "hooks": { "supported_events": ["pre_request"] } });
        let capabilities = declared(version, none).await;
        is_expected(&capabilities["hooks"], &json!([]));
    }
}

#[tokio::test]
async fn a_client_that_does_not_ask_is_told_nothing() {
    for version in VERSIONS {
        for asked in [json!({}), json!({ "experimental": { "hooks": true } })] {
            let capabilities = declared(version, asked.clone()).await;
            assert!(
                !capabilities.to_string().contains("hooks"),
                "{asked}: {capabilities}"
            );
            assert!(capabilities["tools"].is_object(), "{capabilities}");
        }
    }
}

async fn session(version: &str, contents: &[&str]) -> (TempDir, TestHost) {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder, "m.db");
    let store = Store::open(&database, memory_server::store::Options::default()).unwrap();
    for content in contents {
        store.store("shop", Draft::new(*content)).await.unwrap();
    }
    let supported = json!({ "hooks": { "supported_events": Event::ALL } });
    let host = host(&database, version, supported).await;
    (folder, host)
}

fn at(event: Event) -> Occasion {
    Occasion::new(event, Variables::new().project_name("shop"))
}

#[tokio::test]
async fn a_session_starts_with_the_stored_memories() {
    for version in VERSIONS {
        let stored = ["The queue is a table in SQLite", "Webhooks are sent once"];
        let (_folder, host) = session(version, &stored).await;
        let report = host.fire(at(Event::SessionStart)).await;
        assert!(report.failed.is_empty(), "{report:?}");
        let text = &report.injected[0].text;
        for content in stored {
            assert!(text.contains(content), "{text}");
        }
        assert!(text.starts_with("[shop] no memory matches"), "{text}");
    }
}

#[tokio::test]
async fn memories_that_match_the_start_of_a_session_come_alone() {
    let stored = [
        "Decision: the queue is a table in SQLite",
        "Webhooks are sent once",
    ];
    let (_folder, host) = session("2025-11-25", &stored).await;
    let report = host.fire(at(Event::SessionStart)).await;
    let text = report.to_string();
    assert!(
        text.contains("table in SQLite") && !text.contains("Webhooks"),
        "{text}"
    );
}

#[tokio::test]
async fn the_first_session_of_a_project_starts_too() {
    let (_folder, host) = session("2025-11-25", &[]).await;
    let report = host.fire(at(Event::SessionStart)).await;
    assert!(report.failed.is_empty(), "{report:?}");
    assert!(
        report.to_string().contains("there are no others"),
        "{report}"
    );
}

#[tokio::test]
async fn a_commit_and_the_end_of_a_session_bring_a_reminder_and_nothing_else_does() {
    let (_folder, host) = session("2025-11-25", &[]).await;
    let ran = |tool: &str, command: &str| {
        let mut occasion = at(Event::PostToolUse);
        occasion.variables.tool_name = Some(tool.to_owned());
        occasion.variables.tool_input = Some(json!({ "command": command }).to_string());
        occasion
    };
    let report = host.fire(ran("Bash", "git commit -am 'x'")).await;
    assert!(
        report
            .to_string()
            .contains("store it\n> now with `store_memory`"),
        "{report}"
    );
    for occasion in [ran("Bash", "git status"), ran("Write", "git commit")] {
        let report = host.fire(occasion).await;
        assert!(report.injected.is_empty(), "{report}");
        assert_eq!(report.skipped[0].reason, Reason::NotMatched);
    }
    let report = host.fire(at(Event::SessionEnd)).await;
    assert!(
        report.to_string().contains("This session is ending"),
        "{report}"
    );
}
