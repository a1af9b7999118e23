use hooks_sdk::prelude::*;

#[plugin::hook(agent_tool_post_invoke, deny = "too late")]
struct TooLate;

fn main() {}
