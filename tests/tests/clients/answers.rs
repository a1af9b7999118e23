//! Each recording is answered as `answers.json` says.

use std::{collections::BTreeMap, env, fs};

use hooks_sdk::{
    clients::{ALL, Evidence},
    lifecycle::Event,
};
use serde_json::{Value, json};

use crate::recorded::{all, client, fire_recorded, folder, native, read};

#[tokio::test]
async fn recordings_are_answered_as_before() {
    let mut answers = BTreeMap::new();
    for (client, name) in all() {
        let fired = fire_recorded(client, &name).await;
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
        let again = name.contains(".again.");
        let ended = name.contains("top.subagent");
        let other = client.event(native(&name)).is_none();
        let fired = fire_recorded(client, &name).await;
        let Some(seen) = fired.seen else {
            assert!(other, "{name}");
            continue;
        };
        let reached = client.mapping(seen.occasion.event).delivery;
        let third_party = [
            "gemini/BeforeAgent.again.json",
            "copilot/UserPromptSubmit.again.json",
        ];
        let third_party = third_party.contains(&name.as_str());
        let hooked = !name.contains(".Read.") && !name.contains(".view.");
        let hooked = hooked && !name.contains(".agent.") && !name.contains(".task.");
        let before = seen.occasion.event == Event::PreToolUse;
        let expected = reached.reaches_agent() && (!again || third_party) && !ended;
        let expected = expected && (hooked || !before);
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
        let Some(seen) = fire_recorded(client, &name).await.seen else {
            continue;
        };
        let variables = &seen.occasion.variables;
        assert_eq!(variables.project_name.as_deref(), Some("project"), "{name}");
        let session = "00000000-0000-4000-8000-000000000001";
        assert_eq!(seen.session_id.as_deref(), Some(session), "{name}");
        assert_eq!(variables.session_id.as_deref(), Some(session), "{name}");
        let starts = seen.occasion.event == Event::SessionStart;
        // The documents name no reason for a session's start.
        let starts = starts && client.tested.how == Evidence::Run;
        let source = match client.name {
            _ if name.contains(".resume.") => "resume",
            "copilot" => "new",
            _ => "startup",
        };
        assert_eq!(seen.source.as_deref(), starts.then_some(source), "{name}");
        assert_eq!(seen.subagent, name.contains(".subagent."), "{name}");
        assert!(seen.caller.is_none(), "{name}");
        let served = name.contains(".mcp.");
        let tool = match name.contains("Failure") {
            true => "fail",
            false => "echo",
        };
        assert_eq!(seen.tool.as_deref(), served.then_some(tool), "{name}");
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
            for native in client.mapping(event).natives() {
                assert_eq!(client.event(native), Some(event));
                assert_eq!(client.event(&native.to_lowercase()), Some(event));
            }
        }
        assert_eq!(client.event("PreCompact"), None);
        assert_eq!(client.event(""), None);
    }
    for known in ALL {
        assert_eq!(client(known.name).name, known.name);
    }
    assert_eq!(
        client("copilot").event("agentStop"),
        Some(Event::PostRequest)
    );
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
