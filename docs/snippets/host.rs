//! A client that honours declared hooks.

use std::{collections::HashMap, time::Instant};

use futures::future::BoxFuture;
use hooks_sdk::{
    core::HookError,
    lifecycle::{
        Event, Occasion, Variables,
        host::{ClientControls, ContextTools, LifecycleHost},
    },
};
use serde_json::{Map, Value, json};

// ANCHOR: tools
/// The connections of a client, by the client's own names.
struct Connections(HashMap<String, Connection>);

impl ContextTools for Connections {
    fn call<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        Box::pin(async move {
            let connection = self.0.get(server);
            let connection = connection.ok_or_else(|| HookError::new("not connected"))?;
            connection.call_tool(tool, args).await
        })
    }
}
// ANCHOR_END: tools

/// Stands for a client's real connection.
struct Connection;

impl Connection {
    async fn call_tool(&self, tool: &str, args: Map<String, Value>) -> Result<String, HookError> {
        Ok(format!("{tool} was called with {}", Value::Object(args)))
    }
}

#[tokio::test]
async fn a_session() {
    let connections = Connections(HashMap::from([("memory".to_owned(), Connection)]));
    let initialize_result = json!({"capabilities": {"hooks": {"declarations": [
        {"event": "session_start", "priority": "important", "context_tool": "recall", "context_tool_args": {"project": "{project_name}"}},
        {"event": "post_tool_use", "priority": "suggestion", "context": "Store what you learned.",
         "matcher": {"tool_name": "Bash", "input_contains": "git commit"}},
        {"event": "full_moon", "priority": "suggestion", "context": "Howl."},
    ]}}});
    let mut agent = Vec::new();
    // ANCHOR: session
    let mut host = LifecycleHost::new(ClientControls::default());

    // When a server has answered `initialize` or `server/discover`:
    let hooks = &initialize_result["capabilities"]["hooks"];
    let registration = host.register("memory", hooks);
    for refused in &registration.refused {
        eprintln!("declaration {}: {}", refused.index, refused.why);
    }

    // When a session begins:
    let start = Occasion::new(Event::SessionStart, Variables::new().project_name("annal"));
    let report = host.fire(&start, &connections, Instant::now()).await;
    agent.push(report.to_string());

    // When the agent has run a tool:
    let input = json!({"command": "git commit -m x"}).to_string();
    let ran = Variables::new()
        .project_name("annal")
        .tool_name("Bash")
        .tool_input(input);
    let ran = Occasion::new(Event::PostToolUse, ran);
    let report = host.fire(&ran, &connections, Instant::now()).await;
    agent.push(report.to_string());
    for skipped in &report.skipped {
        eprintln!("{} {}: {}", skipped.server, skipped.index, skipped.reason);
    }
    // ANCHOR_END: session
    assert_eq!((registration.kept, registration.refused.len()), (2, 1));
    assert_eq!(
        registration.refused[0].why.to_string(),
        "`full_moon` is not a known event"
    );
    assert_eq!(
        agent,
        [
            "Hook of the MCP server `memory` (important):\n> recall was called with {\"project\":\"annal\"}",
            "Hook of the MCP server `memory` (suggestion):\n> Store what you learned.",
        ]
    );
    let other = Occasion::new(
        Event::PostToolUse,
        Variables::new().tool_name("Read").tool_input("{}"),
    );
    let report = host.fire(&other, &connections, Instant::now()).await;
    assert_eq!(
        report.skipped[0].reason.to_string(),
        "its matcher does not match"
    );
}
