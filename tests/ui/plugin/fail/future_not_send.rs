use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke)]
async fn check(_memory: &Memory, _call: &ToolCall) {
    let count = std::rc::Rc::new(1);
    std::future::ready(()).await;
    drop(count);
}

fn main() {}
