use hooks_sdk::{plugin::AgentToolCall, prelude::*};

#[plugin::hook(agent_tool_pre_invoke, posture = deny, deadline = "3s")]
async fn check(_call: &AgentToolCall) {}

fn main() {}
