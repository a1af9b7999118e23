use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(completion_pre_fetch, writable(name))]
async fn check(_memory: &Memory) {}

fn main() {}
