use hooks_sdk::prelude::*;

#[plugin::hook(tool_post_invoke, when(content[0].text), deny = "no")]
struct Rule;

fn main() {}
