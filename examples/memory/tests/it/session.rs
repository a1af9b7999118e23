//! The session machine: what it refuses, what opens a session, and whose session it is.

use std::path::Path;

use hooks_sdk::{
    session::{SessionState, diagram},
    testing::{TestHost, ToolAnswer},
};
use memory_server::{
    Memory, Stage,
    store::{Draft, Options, Store},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    hooks::{LEGACY, STATELESS, VERSIONS},
    place::database,
};

/// The sentence of the hooks system document.
const REFUSED: &str = "Tool \"list_topics\" requires session initialization. You MUST call session_init first before using this tool. Available now: consolidate_memories, list_reminders, note_add, note_list, remind_me, search_memories.";

/// The tools that need no session.
const FREE: [&str; 7] = [
    "search_memories",
    "note_add",
    "note_list",
    "remind_me",
    "list_reminders",
    "cancel_reminder",
    "consolidate_memories",
];

async fn client(database: &Path, version: &str) -> TestHost {
    let server = Memory::open(database).unwrap().hooked().unwrap();
    let host = TestHost::builder()
        .version(version)
        .capabilities(json!({}))
        .without_session_handle();
    host.connect(server).await.unwrap()
}

/// A client of a database with three memories in two projects.
async fn met(version: &str) -> (TempDir, TestHost) {
    let folder = tempfile::tempdir().unwrap();
    let database = database(&folder, "m.db");
    let store = Store::open(&database, Options::default()).unwrap();
    for (project, content, tag) in [
        ("shop", "The queue is a table", "queue"),
        ("shop", "Webhooks are sent once", "webhook"),
        ("bank", "Deploy on Fridays", "deploy"),
    ] {
        let mut draft = Draft::new(content);
        draft.tags = vec![tag.to_owned()];
        store.store(project, draft).await.unwrap();
    }
    let host = client(&database, version).await;
    (folder, host)
}

async fn call(host: &TestHost, tool: &str, arguments: Value) -> ToolAnswer {
    host.call_tool(tool, arguments).await.unwrap()
}

fn texts(answer: &ToolAnswer) -> Vec<&str> {
    let blocks = answer.as_value()["content"].as_array().unwrap();
    blocks
        .iter()
        .map(|block| block["text"].as_str().unwrap())
        .collect()
}

fn handle(answer: &ToolAnswer) -> &Value {
    &answer.as_value()["_meta"]["hooks-sdk/session"]
}

#[test]
fn the_readme_shows_the_machine() {
    let readme = include_str!("../../README.md");
    let (_, picture) = readme.split_once("```mermaid\n").expect("a picture");
    let (picture, _) = picture.split_once("```").expect("its end");
    assert_eq!(picture, diagram::mermaid(&Stage::machine().unwrap()));
}

#[tokio::test]
async fn a_tool_before_session_init_is_refused_and_says_what_to_call() {
    for version in VERSIONS {
        let (_folder, host) = met(version).await;
        let project = json!({ "project": "shop" });
        let refused = call(&host, "list_topics", project.clone()).await;
        assert!(refused.is_error(), "{version}: {refused:?}");
        let directive = texts(&refused)[0];
        assert_eq!(
            directive,
            format!("{REFUSED}\n\nSearching, notes, reminders and merging need no session."),
            "{version}"
        );
        // Whatever the agent sends, nothing is done before.
        let memory = json!({ "project": "new", "content": "x", "tags": [] });
        let refused = call(&host, "store_memory", memory).await;
        assert!(texts(&refused)[0].starts_with("Tool \"store_memory\" requires session"));
        let opened = call(&host, "session_init", json!({})).await;
        assert!(!texts(&opened)[0].contains("new"), "{opened:?}");
    }
}

#[tokio::test]
async fn a_session_opens_without_arguments_and_says_which_projects_there_are() {
    for version in VERSIONS {
        let (_folder, host) = met(version).await;
        for arguments in [
            json!({}),
            json!({ "project": null }),
            json!({ "project": " " }),
        ] {
            let opened = call(&host, "session_init", arguments).await;
            assert!(!opened.is_error(), "{version}: {opened:?}");
            let texts = texts(&opened);
            assert_eq!(texts[0], "Projects that have memories: bank, shop.");
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let host = client(&database(&folder, "m.db"), LEGACY).await;
    let opened = call(&host, "session_init", json!({})).await;
    assert_eq!(
        texts(&opened),
        [
            "No project has any memories yet.",
            "The session is open: every tool of this server can be called."
        ]
    );
}

#[tokio::test]
async fn a_session_opens_with_what_is_known_about_the_project() {
    for version in VERSIONS {
        let (_folder, host) = met(version).await;
        let opened = call(&host, "session_init", json!({ "project": "shop" })).await;
        assert_eq!(
            texts(&opened)[0],
            "[shop] Memories: 2. Topics: 2.\n- queue (1)\n- webhook (1)"
        );
        let unknown = call(&host, "session_init", json!({ "project": "shpo" })).await;
        assert_eq!(
            texts(&unknown)[0],
            "[shpo] No memories; projects that have some: bank, shop."
        );
    }
}

#[tokio::test]
async fn a_mistake_in_session_init_is_explained_and_opens_nothing() {
    for version in VERSIONS {
        let (_folder, host) = met(version).await;
        let wrong = call(&host, "session_init", json!({ "projekt": "shop" })).await;
        assert!(wrong.is_error() && wrong.text().contains("unknown field `projekt`"));
        assert_eq!(handle(&wrong), &Value::Null);
        let refused = call(&host, "list_topics", json!({ "project": "shop" })).await;
        assert!(refused.is_error(), "{version}");
    }
}

#[tokio::test]
async fn a_search_needs_no_session_and_no_handle() {
    for version in VERSIONS {
        let (_folder, host) = met(version).await;
        let search = json!({ "project": "shop", "query": "queue" });
        let found = call(&host, "search_memories", search).await;
        assert!(!found.is_error() && found.text().contains("The queue is a table"));
        // It opens none either.
        let refused = call(&host, "list_topics", json!({ "project": "shop" })).await;
        assert!(refused.is_error(), "{version}");
    }
}

#[tokio::test]
async fn notes_reminders_and_merging_need_no_session() {
    for version in VERSIONS {
        let (folder, host) = met(version).await;
        let reminder =
            json!({ "project": "shop", "text": "call Kim", "at": "2999-01-01T00:00:00Z" });
        let set = call(&host, "remind_me", reminder).await;
        let id = set.text().split("ID: ").nth(1).unwrap()[..36].to_owned();
        call(&host, "note_add", json!({ "text": "Buy milk" })).await;
        // A client that comes back has them, too.
        drop(host);
        let host = client(&database(&folder, "m.db"), version).await;
        for (tool, arguments, words) in [
            (
                "search_memories",
                json!({ "project": "shop", "query": "queue" }),
                "is a table",
            ),
            ("note_add", json!({ "text": "Call Kim" }), "2 notes:"),
            ("note_list", json!({}), "1. Buy milk"),
            ("list_reminders", json!({ "project": "shop" }), "call Kim"),
            (
                "cancel_reminder",
                json!({ "project": "shop", "reminder_id": id }),
                "call Kim",
            ),
            (
                "remind_me",
                json!({ "project": "shop", "text": "x", "at": "2999-01-01T00:00:00Z" }),
                "2999-01-01",
            ),
            // Without MCPL it says what is missing, which is no session.
            (
                "consolidate_memories",
                json!({ "project": "shop" }),
                "a client that speaks MCPL",
            ),
        ] {
            let answer = call(&host, tool, arguments).await;
            assert!(
                answer.text().contains(words),
                "{version} {tool}: {answer:?}"
            );
            assert_eq!(answer.is_error(), tool == "consolidate_memories");
        }
        let refused = call(&host, "list_topics", json!({ "project": "shop" })).await;
        assert!(refused.is_error(), "{version}");
    }
}

#[tokio::test]
async fn the_older_generation_needs_no_handle() {
    let (_folder, host) = met(LEGACY).await;
    let opened = call(&host, "session_init", json!({})).await;
    assert_eq!(handle(&opened), &Value::Null);
    assert!(!opened.text().contains("session: "), "{opened:?}");
    let topics = call(&host, "list_topics", json!({ "project": "shop" })).await;
    assert!(!topics.is_error(), "{topics:?}");
}

#[tokio::test]
async fn on_2026_07_28_a_handle_names_the_session() {
    let (_folder, host) = met(STATELESS).await;
    let opened = call(&host, "session_init", json!({})).await;
    let named = handle(&opened).as_str().unwrap();
    let texts = texts(&opened);
    assert_eq!(
        texts.last().unwrap(),
        &format!("session: {named}\nPass it as the argument `session` with every further call.")
    );
    let mut arguments = json!({ "project": "shop" });
    assert!(
        call(&host, "list_topics", arguments.clone())
            .await
            .is_error()
    );
    arguments["session"] = named.into();
    let topics = call(&host, "list_topics", arguments).await;
    assert!(!topics.is_error(), "{topics:?}");
    // An agent that passes it with every call does so where none is needed, too.
    let search = json!({ "project": "shop", "query": "queue", "session": named });
    let found = call(&host, "search_memories", search).await;
    assert!(!found.is_error(), "{found:?}");
    let meta = json!({
        "name": "list_topics", "arguments": { "project": "shop" },
        "_meta": { "hooks-sdk/session": named }
    });
    assert_eq!(
        host.request("tools/call", meta).await.unwrap()["isError"],
        false
    );
}

#[tokio::test]
async fn the_tools_that_need_a_session_show_its_argument() {
    for version in VERSIONS {
        let (_folder, host) = met(version).await;
        for tool in host.list_tools().await.unwrap() {
            let name = tool["name"].as_str().unwrap();
            let shown = tool["inputSchema"]["properties"].get("session").is_some();
            let free = name == "session_init" || FREE.contains(&name);
            assert_eq!(shown, version == STATELESS && !free, "{version}: {name}");
        }
    }
}

#[tokio::test]
async fn two_clients_do_not_share_a_session() {
    for version in VERSIONS {
        let folder = tempfile::tempdir().unwrap();
        let memory = Memory::open(database(&folder, "m.db")).unwrap();
        let server = memory.hooked().unwrap();
        let builder = TestHost::builder().version(version);
        let host = builder.clone().connect(server.clone()).await.unwrap();
        let other = builder.connect(server).await.unwrap();
        let opened = call(&host, "session_init", json!({})).await;
        let mut arguments = json!({ "project": "shop" });
        let refused = call(&other, "list_topics", arguments.clone()).await;
        if version == STATELESS {
            arguments["session"] = handle(&opened).clone();
        }
        assert!(!call(&host, "list_topics", arguments).await.is_error());
        assert!(
            texts(&refused)[0].starts_with(REFUSED),
            "{version}: {refused:?}"
        );
    }
}
