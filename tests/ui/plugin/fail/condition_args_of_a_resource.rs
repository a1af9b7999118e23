use hooks_sdk::prelude::*;

#[plugin::hook(resource_pre_fetch, when(args.path), deny = "no")]
struct Rule;

fn main() {}
