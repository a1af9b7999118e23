use hooks_sdk::{plugin::AgentToolCall, prelude::*};

#[plugin::hook(agent_tool_pre_invoke, posture = proceed, mode = fire_and_forget)]
async fn check(_call: &AgentToolCall) {}

fn main() {}
