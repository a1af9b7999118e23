use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(completion_pre_fetch, prompt = "greet")]
async fn check(_memory: &Memory) {}

fn main() {}
