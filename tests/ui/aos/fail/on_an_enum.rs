use hooks_sdk::prelude::*;

#[aos::hook(tool_call_request)]
enum Rule {
    A,
}

fn main() {}
