use hooks_sdk::{plugin::ResourceResult, prelude::*};

struct Memory;

#[plugin::hook(resource_post_fetch, writable(result))]
async fn check(_memory: &Memory, _result: &ResourceResult) {}

fn main() {}
