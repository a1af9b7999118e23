//! GitHub Copilot CLI is answered so that it understands, whether its own entry fired or Claude Code's.

use std::fs;

use hooks_sdk::{clients::Fired, lifecycle::Event};
use serde_json::json;

use crate::recorded::{client, fire, folder, read};

const MAIN: &str = "00000000-0000-4000-8000-000000000001";

/// What Copilot CLI gets from Claude Code's entry, which is what it gets from its own.
async fn fired(name: &str) -> Fired {
    let input = read(&format!("copilot/{name}.json"));
    let own = fire(client("copilot"), None, &input).await;
    let fired = fire(client("claude-code"), None, &input).await;
    assert_eq!(fired.output, own.output);
    fired
}

#[tokio::test]
async fn every_text_is_where_copilot_looks_for_it() {
    for (name, text) in [
        ("SessionStart", "Session 0000"),
        ("SessionStart.resume", "Session 0000"),
        ("UserPromptSubmit", "Think of what is stored about project."),
        ("UserPromptSubmit.subagent", "Think of what"),
        ("PreToolUse.shell", "Bash is to run {\"command\":"),
        (
            "PreToolUse.mcp",
            "memory-echo is to be called with {\"message\":\"hello\"}",
        ),
        ("PostToolUse.shell", "You just committed work."),
        ("PostToolUse.mcp", "Matched by the full name."),
        ("PostToolUse.mcp", "Matched by server and name."),
        ("PostToolUse.mcp", "memory-echo said echo: hello"),
        ("PostToolUse.mcp.subagent", "memory-echo said echo: hello"),
    ] {
        let fired = fired(name).await;
        let said = &fired.output["additionalContext"];
        assert!(said.as_str().unwrap().contains(text), "{name}: {said}");
        assert_eq!(fired.output.as_object().unwrap().len(), 1);
        let seen = fired.seen.unwrap();
        assert_eq!(seen.caller, Some(client("copilot")), "{name}");
        assert_eq!(seen.session_id.as_deref(), Some(MAIN), "{name}");
        assert_eq!(seen.subagent, name.contains(".subagent"), "{name}");
    }
}

#[tokio::test]
async fn its_agent_is_kept_going_once_and_its_subagents_never() {
    let stop = fired("Stop").await;
    assert_eq!(stop.output["decision"], "block");
    for name in ["Stop.again", "Stop.subagent", "SessionEnd"] {
        let silent = fired(name).await;
        assert_eq!(silent.output, json!({}), "{name}");
        assert!(silent.report.is_none() && silent.seen.is_some(), "{name}");
    }
    for name in ["SubagentStart", "SubagentStop", "PostToolUseFailure.mcp"] {
        let unheard = fired(name).await;
        assert_eq!(unheard.output, json!({}), "{name}");
        assert!(
            unheard.seen.is_none() && unheard.problem.is_some(),
            "{name}"
        );
    }
}

#[tokio::test]
async fn nobody_else_is_taken_for_copilot() {
    for entry in fs::read_dir(folder().join("claude-code")).unwrap() {
        let input = fs::read(entry.unwrap().path()).unwrap();
        if let Some(seen) = fire(client("claude-code"), None, &input).await.seen {
            assert!(seen.caller.is_none());
        }
    }
}

#[tokio::test]
async fn a_subagents_end_is_not_the_agents() {
    for (word, event) in [
        ("claude-code", "Stop"),
        ("codex", "Stop"),
        ("gemini", "AfterAgent"),
    ] {
        let mut input: serde_json::Value =
            serde_json::from_slice(&read(&format!("{word}/{event}.json"))).unwrap();
        input["agent_id"] = json!("a1");
        let fired = fire(
            client(word),
            Some(Event::PostRequest),
            input.to_string().as_bytes(),
        )
        .await;
        assert_eq!(fired.output, json!({}));
        assert!(fired.report.is_none());
    }
}
