use hooks_sdk::prelude::*;

#[aos::memory_store(content = "args.text")]
struct Save;

fn main() {}
