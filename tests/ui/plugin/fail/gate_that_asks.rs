use hooks_sdk::{plugin::{AgentToolCall, Question}, prelude::*};

#[plugin::hook(agent_tool_pre_invoke, posture = deny)]
async fn check(_call: &AgentToolCall) -> Verdict<AgentToolCall, Question> {
    Verdict::Allow
}

fn main() {}
