use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(tool_pre_invoke)]
#[plugin::hook(prompt_pre_fetch)]
async fn check(_memory: &Memory) {}

fn main() {}
