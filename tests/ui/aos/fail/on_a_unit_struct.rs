use hooks_sdk::prelude::*;

#[aos::hook(tool_call_request)]
struct Rule;

fn main() {}
