use hooks_sdk::{
    plugin::{AgentToolCall, AgentToolResult},
    prelude::*,
};

#[plugin::hook(
    agent_tool_pre_invoke,
    kind = shell,
    when(commands[*] = "*memory.db*"),
    deny = "the memory is changed by its tools only",
    posture = deny
)]
struct NoSideDoor;

#[plugin::hook(agent_tool_pre_invoke, kind = [write, edit], unless(paths[*] = inside("/srv/data")), deny = "only data", posture = proceed)]
struct OnlyData;

#[plugin::hook(agent_tool_pre_invoke, tool = "mcp__*", posture = deny, deadline = "500ms")]
async fn known_servers(call: &AgentToolCall) -> Verdict<AgentToolCall> {
    match call.mcp_server.as_deref() {
        Some("memory") => Verdict::Allow,
        _ => Verdict::Deny(Violation::new("only the server `memory` is used here")),
    }
}

#[plugin::hook(agent_tool_post_invoke, kind = fetch)]
async fn record(_ran: &AgentToolResult, _cx: &mut PluginContext) {}

#[test]
fn is_accepted() {
    let registry = crate::collected::<()>(file!()).unwrap();
    assert_eq!(plugin::problems(&registry), []);
    assert_eq!(registry.iter().len(), 4);
}
