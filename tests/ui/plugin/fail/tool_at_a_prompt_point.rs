use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(prompt_pre_fetch, tool = "delete_*")]
async fn check(_memory: &Memory) {}

fn main() {}
