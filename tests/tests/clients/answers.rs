//! Each recording is answered as `answers.json` says.

use std::{collections::BTreeMap, env, fs};

use hooks_sdk::{
    clients::{ALL, Delivery},
    lifecycle::Event,
};
use serde_json::{Value, json};

use crate::recorded::{all, client, fire, folder, read};

#[tokio::test]
async fn recordings_are_answered_as_before() {
    let mut answers = BTreeMap::new();
    for (client, name) in all() {
        let fired = fire(client, None, &read(&name)).await;
        let answer = match fired.problem {
            Some(problem) => json!({"output": fired.output, "problem": problem}),
            None => json!({"output": fired.output}),
        };
        answers.insert(name, answer);
    }
    let file = folder().join("answers.json");
    if env::var_os("ANSWERS").is_some_and(|word| word == "overwrite") {
        let text = serde_json::to_string_pretty(&answers).unwrap();
        fs::write(&file, text + "\n").unwrap();
    }
    let recorded: BTreeMap<String, Value> = serde_json::from_slice(&read("answers.json")).unwrap();
    assert_eq!(answers.len(), recorded.len());
    for (name, answer) in answers {
        assert_eq!(answer, recorded[&name], "{name}: {answer:#}");
    }
}

#[tokio::test]
async fn every_event_reaches_the_agent_where_it_can() {
    for (client, name) in all() {
        let again = name.contains(".again.") || name.contains("PostToolUseFailure");
        let others = ["PostToolBatch", "SubagentStart", "SubagentStop"];
        let other = others.iter().any(|other| name.contains(other));
        let fired = fire(client, None, &read(&name)).await;
        let Some(seen) = fired.seen else {
            assert!(again || other, "{name}");
            continue;
        };
        let reached = client.mapping(seen.occasion.event).delivery != Delivery::Never;
        let third_party = name == "gemini/BeforeAgent.again.json";
        let expected = reached && (!again || third_party);
        assert_eq!(fired.output != json!({}), expected, "{name}");
        assert!(
            !fired.output.to_string().contains("obody reads this"),
            "{name}"
        );
    }
}

#[tokio::test]
async fn what_the_client_says_is_known() {
    for (client, name) in all() {
        let Some(seen) = fire(client, None, &read(&name)).await.seen else {
            continue;
        };
        let variables = &seen.occasion.variables;
        assert_eq!(variables.project_name.as_deref(), Some("project"), "{name}");
        let session = "00000000-0000-4000-8000-000000000001";
        assert_eq!(seen.session_id.as_deref(), Some(session), "{name}");
        assert_eq!(variables.session_id.as_deref(), Some(session), "{name}");
        let starts = seen.occasion.event == Event::SessionStart;
        let source = if name.contains(".resume.") {
            "resume"
        } else {
            "startup"
        };
        assert_eq!(seen.source.as_deref(), starts.then_some(source), "{name}");
        assert_eq!(seen.subagent, name.contains(".subagent."), "{name}");
        assert_eq!(seen.reader, None, "{name}");
        let served = name.contains(".mcp.");
        assert_eq!(seen.tool.as_deref(), served.then_some("echo"), "{name}");
        let server = seen.occasion.tool_server.as_deref();
        assert_eq!(server, served.then_some("memory"), "{name}");
        let shell = name.contains("shell");
        let bash = seen.occasion.also_named.iter().chain(&variables.tool_name);
        assert_eq!(bash.into_iter().any(|name| name == "Bash"), shell, "{name}");
    }
}

#[test]
fn names_map_both_ways() {
    for client in ALL {
        for event in Event::ALL {
            let native = client.mapping(event).native;
            assert_eq!(client.event(native), Some(event));
            assert_eq!(client.event(&native.to_lowercase()), Some(event));
        }
        assert_eq!(client.event("PreCompact"), None);
        assert_eq!(client.event(""), None);
    }
    for word in ["claude-code", "codex", "gemini"] {
        assert_eq!(client(word).name(), word);
    }
    for (word, event) in [
        ("post_tool_use", Some(Event::PostToolUse)),
        ("PostToolUse", Some(Event::PostToolUse)),
        ("AfterTool", Some(Event::PostToolUse)),
        ("userpromptsubmit", Some(Event::PreRequest)),
        ("PreCompact", None),
    ] {
        assert_eq!(hooks_sdk::clients::event(word), event, "{word}");
    }
    assert!(hooks_sdk::clients::by_name("Claude Code").is_none());
}
