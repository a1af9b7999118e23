use hooks_sdk::{core::Verdict, prelude::*};

struct Memory;

#[plugin::hook(tool_pre_invoke)]
async fn check(_memory: &Memory, _call: &ToolCall) -> Verdict<ToolCall, Question> {
    Verdict::Ask(Question::confirm(" "))
}

fn main() {}
