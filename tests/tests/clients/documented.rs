//! The clients that were not run, by fixtures that were written from their documents.

use hooks_sdk::{
    clients::{self, Delivery},
    lifecycle::Event,
};
use serde_json::{Value, json};

use crate::recorded::{client, fire, read, text};

fn fixture(name: &str) -> Value {
    serde_json::from_slice(&read(name)).expect("JSON")
}

#[tokio::test]
async fn the_agent_is_kept_going_once() {
    for (name, file, count, answer) in [
        ("cursor", "stop", "loop_count", "followup_message"),
        ("antigravity", "Stop", "executionNum", "reason"),
    ] {
        let mut input = fixture(&format!("{name}/{file}.json"));
        let output = |input: Value| async move {
            let event = Some(Event::PostRequest);
            fire(client(name), event, input.to_string().as_bytes())
                .await
                .output
        };
        let first = output(input.clone()).await;
        assert!(
            first[answer]
                .as_str()
                .expect("a text")
                .contains("remember?")
        );
        for again in [json!(1), json!(-1), json!("0"), json!(null), json!(0.5)] {
            input[count] = again;
            assert_eq!(output(input.clone()).await, json!({}));
        }
        input.as_object_mut().expect("an object").remove(count);
        assert_eq!(output(input).await, json!({}));
    }
    let mut aborted = fixture("cursor/stop.json");
    aborted["status"] = json!("aborted");
    let fired = fire(client("cursor"), None, aborted.to_string().as_bytes()).await;
    assert_eq!(fired.output, json!({}));
}

#[tokio::test]
async fn only_the_first_request_of_a_prompt_is_the_user_s() {
    let antigravity = client("antigravity");
    for (file, reached) in [("PreInvocation", true), ("PreInvocation.again", false)] {
        let input = read(&format!("antigravity/{file}.json"));
        let fired = fire(antigravity, Some(Event::PreRequest), &input).await;
        assert_eq!(text(&fired.output).is_some(), reached, "{file}");
    }
}

#[tokio::test]
async fn a_text_that_waits_is_reported_and_not_answered() {
    for (name, file, event) in [
        ("cursor", "sessionStart", Event::SessionStart),
        ("antigravity", "PostToolUse.shell", Event::PostToolUse),
    ] {
        assert_eq!(client(name).mapping(event).delivery, Delivery::Next);
        let input = read(&format!("{name}/{file}.json"));
        let fired = fire(client(name), Some(event), &input).await;
        assert_eq!(fired.output, json!({}));
        assert!(!fired.report.expect("a report").injected.is_empty());
    }
}

#[test]
fn a_tool_of_an_unnamed_server_is_known_by_its_name() {
    let mut input = fixture("cursor/postToolUse.mcp.json");
    for (name, server, also) in [
        ("MCP:memory:echo", Some("memory"), true),
        ("MCP:echo", None, true),
        ("MCP:", None, false),
        ("MCP::echo", None, false),
        ("Shell", None, false),
    ] {
        input["tool_name"] = name.into();
        let input = input.to_string();
        let seen = clients::read_input(client("cursor"), None, &["memory"], input.as_bytes());
        let occasion = seen.expect("heard").occasion;
        assert_eq!(occasion.tool_server.as_deref(), server, "{name}");
        assert_eq!(
            occasion.also_named.iter().any(|name| name == "echo"),
            also,
            "{name}"
        );
    }
}
