use hooks_sdk::prelude::*;

struct Memory;

#[plugin::hook(http_pre_request, tool = "delete_*")]
async fn check(_memory: &Memory) {}

fn main() {}
