//! The client that was not run, by fixtures that were written from its documents.

use hooks_sdk::{clients, lifecycle::Event};
use serde_json::{Value, json};

use crate::recorded::{client, fire, read};

fn fixture(name: &str) -> Value {
    serde_json::from_slice(&read(name)).expect("JSON")
}

#[tokio::test]
async fn the_agent_is_kept_going_once() {
    let mut input = fixture("cursor/stop.json");
    let output = |input: Value| async move {
        let event = Some(Event::PostRequest);
        fire(client("cursor"), event, input.to_string().as_bytes())
            .await
            .output
    };
    let first = output(input.clone()).await;
    assert!(
        first["followup_message"]
            .as_str()
            .expect("a text")
            .contains("remember?")
    );
    for again in [json!(1), json!(-1), json!("0"), json!(null), json!(0.5)] {
        input["loop_count"] = again;
        assert_eq!(output(input.clone()).await, json!({}));
    }
    input
        .as_object_mut()
        .expect("an object")
        .remove("loop_count");
    assert_eq!(output(input).await, json!({}));
    let mut aborted = fixture("cursor/stop.json");
    aborted["status"] = json!("aborted");
    let fired = fire(client("cursor"), None, aborted.to_string().as_bytes()).await;
    assert_eq!(fired.output, json!({}));
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
