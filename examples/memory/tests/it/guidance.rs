//! The guidance: declared, in the instructions, as prompts, and only where its conditions hold.

use hooks_sdk::{
    guidance,
    lifecycle::{Event, Occasion, Variables},
    testing::TestHost,
};
use memory_server::Memory;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{hooks::VERSIONS, place::database};

/// What each text of a session's start says.
const START: [&str; 3] = [
    "Call `session_init` before any other tool",
    "Call `search_memories` with the project's name",
    "it finds words, not meaning",
];

const ASK: &str = "Ask the user before each call of `delete_memory`";

async fn client(version: &str, capabilities: Value) -> (TempDir, TestHost) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(database(&folder, "m.db")).unwrap();
    let host = TestHost::builder()
        .version(version)
        .capabilities(capabilities);
    let host = host.connect(memory.hooked().unwrap()).await.unwrap();
    (folder, host)
}

async fn prompt(host: &TestHost, name: &str) -> String {
    let asked = json!({ "name": name });
    let prompt = host.request("prompts/get", asked).await.unwrap();
    let text = prompt["messages"][0]["content"]["text"].as_str();
    text.expect("a text").to_owned()
}

#[tokio::test]
async fn everything_fits_the_server_and_the_folder_is_as_it_was_built() {
    let folder = tempfile::tempdir().unwrap();
    let memory = Memory::open(database(&folder, "m.db")).unwrap();
    memory.hooked().unwrap().check().unwrap();
    assert_eq!(guidance::differences(), [""; 0]);
}

#[tokio::test]
async fn the_start_of_a_session_is_declared_by_strength_to_who_reads_hooks() {
    for version in VERSIONS {
        let (_folder, host) = client(
            version,
            json!({ "hooks": { "supported_events": Event::ALL } }),
        )
        .await;
        let declared: Vec<(String, String)> = host
            .declarations()
            .iter()
            .map(|declaration| serde_json::to_value(declaration).unwrap())
            .filter(|one| one["event"] == "session_start" && one["context"].is_string())
            .map(|one| {
                let word = |key: &str| one[key].as_str().unwrap().to_owned();
                (word("priority"), word("context"))
            })
            .collect();
        let [(important, must), (suggestion, others)] = declared.as_slice() else {
            panic!("{version}: {declared:?}");
        };
        assert_eq!([important, suggestion], ["important", "suggestion"]);
        assert!(must.contains("MUST:") && must.contains(START[0]), "{must}");
        assert!(
            others.contains("SHOULD:") && others.contains(START[1]),
            "{others}"
        );
        assert!(
            others.contains("MAY:") && others.contains(START[2]),
            "{others}"
        );

        let report = host
            .fire(Occasion::new(
                Event::SessionStart,
                Variables::new().project_name("shop"),
            ))
            .await;
        assert_eq!(report.injected.len(), 3, "{report:?}");
        let instructions = host.handshake()["instructions"].as_str().unwrap();
        for text in START {
            assert!(
                !instructions.contains(text),
                "{version}: told twice: {text}"
            );
        }
    }
}

#[tokio::test]
async fn everybody_else_is_told_in_the_instructions() {
    for version in VERSIONS {
        let events = json!({ "hooks": { "supported_events": ["post_tool_use"] } });
        for capabilities in [json!({}), events] {
            let (_folder, host) = client(version, capabilities).await;
            let instructions = host.handshake()["instructions"].as_str().unwrap();
            assert!(instructions.starts_with("This server is a memory"));
            assert!(!instructions.contains("\n\n\n> "), "{instructions}");
            for text in START {
                assert_eq!(instructions.matches(text).count(), 1, "{version}: {text}");
            }
            // Told once: the call that opens the session says nothing of it again.
            let opened = host.call_tool("session_init", json!({})).await.unwrap();
            assert!(!opened.text().contains(START[0]), "{opened:?}");
        }
    }
}

#[tokio::test]
async fn each_moment_is_a_prompt() {
    for version in VERSIONS {
        let (_folder, host) = client(version, json!({ "elicitation": {} })).await;
        let listed = host.request("prompts/list", json!({})).await.unwrap();
        let listed = listed["prompts"].as_array().unwrap().iter();
        let names: Vec<&str> = listed.map(|one| one["name"].as_str().unwrap()).collect();
        assert_eq!(
            names,
            [
                "hooks_session_start",
                "hooks_action_start",
                "hooks_storage_start"
            ]
        );
        let page = prompt(&host, "hooks_session_start").await;
        assert!(page.contains(START[0]) && page.contains(START[1]), "{page}");
        assert!(
            prompt(&host, "hooks_storage_start")
                .await
                .contains(START[2])
        );
        assert!(prompt(&host, "hooks_action_start").await.contains(ASK));
    }
}

/// What `delete_memory` answers, as one text.
async fn delete(host: &TestHost) -> String {
    let opened = host.call_tool("session_init", json!({})).await.unwrap();
    let session = &opened.as_value()["_meta"]["hooks-sdk/session"];
    let call = async |tool: &str, mut arguments: Value| {
        arguments["project"] = "shop".into();
        if session.is_string() {
            arguments["session"] = session.clone();
        }
        let answer = host.call_tool(tool, arguments).await.unwrap();
        assert!(!answer.is_error(), "{answer:?}");
        answer.text()
    };
    let stored = call("store_memory", json!({ "content": "x", "tags": [] })).await;
    assert!(!stored.contains(ASK), "it is about one tool: {stored}");
    let (_, id) = stored.split_once("ID: ").expect("an ID");
    call("delete_memory", json!({ "memory_id": id[..36] })).await
}

#[tokio::test]
async fn only_an_agent_whose_client_can_ask_is_told_to() {
    for version in VERSIONS {
        let (_folder, host) = client(version, json!({ "elicitation": {} })).await;
        let told = delete(&host).await;
        assert!(
            told.contains("Deleted") && told.contains(ASK),
            "{version}: {told}"
        );
        let (_folder, host) = client(version, json!({})).await;
        let told = delete(&host).await;
        assert!(
            told.contains("Deleted") && !told.contains(ASK),
            "{version}: {told}"
        );
    }
}

#[tokio::test]
async fn a_client_that_reads_hooks_is_told_before_it_deletes() {
    for version in VERSIONS {
        let hooks = json!({ "supported_events": Event::ALL });
        let capabilities = json!({ "hooks": hooks, "elicitation": {} });
        let (_folder, host) = client(version, capabilities).await;
        // The client has its own names for the tools of its servers.
        for (tool, told) in [
            ("delete_memory", true),
            ("mcp__memory__delete_memory", true),
            ("mcp__memory__store_memory", false),
        ] {
            let occasion = Occasion::new(Event::PreToolUse, Variables::new().tool_name(tool));
            let report = host.fire(occasion).await;
            assert_eq!(report.to_string().contains(ASK), told, "{version}: {tool}");
        }
        // It was declared, so it does not stand in the result as well.
        let deleted = delete(&host).await;
        assert!(!deleted.contains(ASK), "{version}: {deleted}");

        let (_folder, host) = client(version, json!({ "hooks": hooks })).await;
        let declared = serde_json::to_string(&host.declarations()).unwrap();
        assert!(!declared.contains("pre_tool_use"), "{declared}");
    }
}

#[tokio::test]
async fn the_skill_about_hooks_is_served_and_says_what_the_code_says() {
    for version in VERSIONS {
        let (_folder, host) = client(version, json!({})).await;
        let listed = host.request("skills/list", json!({})).await.unwrap();
        let [skill] = &listed["skills"].as_array().unwrap()[..] else {
            panic!("{version}: {listed}");
        };
        assert_eq!(skill["uri"], "skill://write-hooks/SKILL.md");
        let files = skill["resources"].as_array().unwrap();
        let mut texts = Vec::new();
        for file in files {
            let asked = json!({ "uri": file["uri"] });
            let read = host.request("resources/read", asked).await.unwrap();
            texts.push(read["contents"][0]["text"].as_str().unwrap().to_owned());
        }
        let [text, wording] = &texts[..] else {
            panic!("{version}: {files:?}");
        };
        assert!(wording.starts_with("# How to word a hook's text"));
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
}
