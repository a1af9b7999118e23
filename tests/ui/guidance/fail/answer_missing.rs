use hooks_sdk::prelude::*;

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Words")]
async fn recall(_memory: &Memory) {}

fn main() {}
