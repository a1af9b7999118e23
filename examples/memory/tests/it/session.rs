//! The session, the hooks and the guidance, for clients of each generation.

use std::path::Path;

use hooks_sdk::{
    guidance,
    lifecycle::{Event, Occasion, Variables, host::Reason},
    session::{SessionState, diagram},
    testing::TestHost,
};
use memory_server::{
    Memory, Stage,
    store::{Draft, Options, Store},
};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) const LEGACY: &str = "2025-11-25";
const VERSIONS: [&str; 2] = [LEGACY, "2026-07-28"];

async fn client(database: &Path, version: &str, capabilities: Value) -> TestHost {
    let store = Store::open(database, Options::default()).unwrap();
    let server = Memory::new(store).hooked().unwrap();
    let host = TestHost::builder()
        .version(version)
        .capabilities(capabilities);
    host.connect(server).await.unwrap()
}

/// A client of a database with three memories in two projects.
async fn met(version: &str, capabilities: Value) -> (TempDir, TestHost) {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("m.db");
    let store = Store::open(&database, Options::default()).unwrap();
    for (project, content, tag) in [
        ("shop", "The queue is a table", "queue"),
        ("shop", "Webhooks are sent once", "webhook"),
        ("bank", "Decision: deploy on Fridays", "deploy"),
    ] {
        let mut draft = Draft::new(content);
        draft.tags = vec![tag.to_owned()];
        store.store(project, draft).await.unwrap();
    }
    let host = client(&database, version, capabilities).await;
    (folder, host)
}

/// What a tool answers, or its error.
async fn call(host: &TestHost, tool: &str, arguments: Value) -> Result<String, String> {
    let answer = host.call_tool(tool, arguments).await.unwrap();
    match answer.is_error() {
        true => Err(answer.text()),
        false => Ok(answer.text()),
    }
}

#[test]
fn the_readme_shows_the_machine() {
    let readme = include_str!("../../README.md");
    let (_, picture) = readme.split_once("```mermaid\n").expect("a picture");
    let (picture, _) = picture.split_once("```").expect("its end");
    assert_eq!(picture, diagram::mermaid(&Stage::machine().unwrap()));
}

#[tokio::test]
async fn a_session_is_opened_first_and_says_what_is_known() {
    for version in VERSIONS {
        let (_folder, host) = met(version, json!({})).await;
        let project = json!({ "project": "shop" });
        let refused = call(&host, "list_topics", project.clone()).await;
        let directive = "Tool \"list_topics\" requires session initialization. You MUST call session_init first before using this \
                         tool. Available now: consolidate_memories, list_reminders, note_add, note_list, remind_me, \
                         search_memories.\n\nSearching, notes, reminders and merging need no session.";
        let refused = refused.unwrap_err();
        assert!(refused.starts_with(directive), "{version}: {refused}");
        let wrong = call(&host, "session_init", json!({ "projekt": "shop" })).await;
        assert!(wrong.unwrap_err().contains("unknown field `projekt`"));
        call(&host, "list_topics", project.clone())
            .await
            .unwrap_err();
        for (arguments, known) in [
            (json!({}), "Projects that have memories: bank, shop."),
            (
                json!({ "project": " " }),
                "Projects that have memories: bank, shop.",
            ),
            (
                project.clone(),
                "[shop] Memories: 2. Topics: 2.\n- queue (1)\n- webhook (1)",
            ),
            (
                json!({ "project": "shpo" }),
                "[shpo] No memories; projects that have some: bank, shop.",
            ),
        ] {
            let opened = call(&host, "session_init", arguments).await.unwrap();
            assert!(opened.starts_with(known), "{version}: {opened}");
        }
        call(&host, "list_topics", project).await.unwrap();
    }
}

#[tokio::test]
async fn searching_notes_reminders_and_merging_need_no_session() {
    for version in VERSIONS {
        let (folder, host) = met(version, json!({})).await;
        call(&host, "note_add", json!({ "text": "Buy milk" }))
            .await
            .unwrap();
        // A client that comes back has them, too.
        drop(host);
        let host = client(&folder.path().join("m.db"), version, json!({})).await;
        let project = json!({ "project": "shop" });
        let reminder =
            json!({ "project": "shop", "text": "call Kim", "at": "2999-01-01T00:00:00Z" });
        let search = json!({ "project": "shop", "query": "queue" });
        for (tool, arguments, words) in [
            ("search_memories", search, "is a table"),
            ("note_list", json!({}), "1. Buy milk"),
            ("remind_me", reminder, "2999-01-01"),
            ("list_reminders", project.clone(), "call Kim"),
        ] {
            let said = call(&host, tool, arguments).await.unwrap();
            assert!(said.contains(words), "{version} {tool}: {said}");
        }
        // Without MCPL it says what is missing, which is no session.
        let said = call(&host, "consolidate_memories", project.clone()).await;
        assert!(said.unwrap_err().contains("a client that speaks MCPL"));
        call(&host, "list_topics", project).await.unwrap_err();
    }
}

fn every_event() -> Value {
    json!({ "hooks": { "supported_events": Event::ALL } })
}

#[tokio::test]
async fn the_hooks_are_declared_to_who_asks() {
    let expected = json!([
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
    ]);
    for version in VERSIONS {
        let (_folder, host) = met(version, every_event()).await;
        let mut declared = host.handshake()["capabilities"]["hooks"]["declarations"].clone();
        let guidance = |one: &Value| {
            let text = one["context"].as_str();
            text.is_some_and(|text| text.starts_with("MUST:") || text.starts_with("SHOULD:"))
        };
        let listed = declared.as_array_mut().expect("declarations");
        listed.retain(|one| !guidance(one));
        for one in listed {
            if let Some(text) = one["context"].as_str() {
                one["context"] = text.trim().into();
            }
        }
        assert_eq!(declared, expected, "{version}");
        let (_folder, host) = met(version, json!({})).await;
        let capabilities = host.handshake()["capabilities"].to_string();
        assert!(!capabilities.contains("hooks"), "{capabilities}");
    }
}

fn at(event: Event, project: &str) -> Occasion {
    Occasion::new(event, Variables::new().project_name(project))
}

#[tokio::test]
async fn what_the_hooks_put_before_the_agent() {
    let (_folder, host) = met(LEGACY, every_event()).await;
    for (project, words, others) in [
        ("shop", "[shop] no memory matches", "deploy"),
        ("shop", "Webhooks are sent once", "deploy"),
        // What matches comes alone.
        ("bank", "deploy on Fridays", "no memory matches"),
        ("new", "there are no others", "queue"),
    ] {
        let report = host.fire(at(Event::SessionStart, project)).await;
        assert!(report.failed.is_empty(), "{report:?}");
        let text = report.to_string();
        assert!(text.contains(words) && !text.contains(others), "{text}");
    }
    for (tool, command, fires) in [
        ("Bash", "git commit -am 'x'", true),
        ("Bash", "git status", false),
        ("Write", "git commit", false),
    ] {
        let mut occasion = at(Event::PostToolUse, "shop");
        occasion.variables.tool_name = Some(tool.to_owned());
        occasion.variables.tool_input = Some(json!({ "command": command }).to_string());
        let report = host.fire(occasion).await;
        let told = report.to_string();
        assert_eq!(told.contains("You just committed work"), fires, "{told}");
        assert!(fires || report.skipped[0].reason == Reason::NotMatched);
    }
    let report = host.fire(at(Event::SessionEnd, "shop")).await;
    assert!(report.to_string().contains("This session is ending"));
}

#[tokio::test]
async fn the_guidance_fits_the_server_and_reaches_clients_without_hooks() {
    let (_folder, host) = met(LEGACY, json!({})).await;
    assert_eq!(guidance::differences(), [""; 0]);
    let instructions = host.handshake()["instructions"].as_str().unwrap();
    assert!(instructions.starts_with("This server is a memory"));
    for text in [
        "Call `session_init` before any other tool",
        "Call `search_memories` with the project's name",
        "it finds words, not meaning",
    ] {
        assert_eq!(instructions.matches(text).count(), 1, "{text}");
    }
    // The text is only for an agent whose client can ask its user.
    for capabilities in [json!({}), json!({ "elicitation": {} })] {
        let asks = capabilities != json!({});
        let (_folder, host) = met(LEGACY, capabilities).await;
        call(&host, "session_init", json!({})).await.unwrap();
        let memory = json!({ "project": "shop", "content": "x", "tags": [] });
        let stored = call(&host, "store_memory", memory).await.unwrap();
        let (_, id) = stored.split_once("ID: ").expect("an ID");
        let memory = json!({ "project": "shop", "memory_id": id[..36] });
        let told = call(&host, "delete_memory", memory).await.unwrap();
        let asked = told.contains("Ask the user before each call of `delete_memory`");
        assert_eq!(asked, asks, "{told}");
    }
}

#[tokio::test]
async fn the_skill_about_hooks_says_what_the_code_says() {
    let (_folder, host) = met(LEGACY, json!({})).await;
    let asked = json!({ "uri": "skill://write-hooks/SKILL.md" });
    let read = host.request("resources/read", asked).await.unwrap();
    let text = read["contents"][0]["text"].as_str().unwrap();
    let example = text.split("```rust\n").nth(1).unwrap();
    let (_, attribute) = example.split_once("#[").unwrap();
    let (attribute, _) = attribute.split_once("\n)]").unwrap();
    assert!(include_str!("../../src/hooks.rs").contains(attribute));
    for event in Event::ALL {
        assert!(text.contains(&format!("`{event}`")), "{event}");
    }
    for command in ["hooks list", "cargo hooks explain", "hooks install"] {
        assert!(text.contains(&format!("`{command}")), "{command}");
    }
}
