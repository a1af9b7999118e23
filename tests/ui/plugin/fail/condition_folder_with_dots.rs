use hooks_sdk::prelude::*;

#[plugin::hook(tool_pre_invoke, unless(args.path = inside("/srv/../data")), deny = "no")]
struct Rule;

fn main() {}
