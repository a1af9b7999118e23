//! Gates: a rule without a body, and a function.

// ANCHOR: rule
use hooks_sdk::prelude::*;

#[plugin::hook(
    agent_tool_pre_invoke,
    kind = shell,
    when(commands[*] = "*memory.db*"),
    deny = "the memory is changed by its tools only",
    posture = deny
)]
struct NoSideDoor;
// ANCHOR_END: rule

use hooks_sdk::plugin::AgentToolCall;

// ANCHOR: function
#[plugin::hook(agent_tool_pre_invoke, kind = mcp, posture = deny, deadline = "500ms")]
async fn known_servers(call: &AgentToolCall) -> Verdict<AgentToolCall> {
    match call.mcp_server.as_deref() {
        Some("memory") => Verdict::Allow,
        _ => Verdict::Deny(Violation::new("only the server `memory` is used here")),
    }
}
// ANCHOR_END: function
