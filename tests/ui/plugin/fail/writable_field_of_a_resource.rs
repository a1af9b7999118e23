use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(resource_post_fetch, writable(args))]
async fn check(_memory: &Memory, _read: &ResourceResult) {}

fn main() {}
