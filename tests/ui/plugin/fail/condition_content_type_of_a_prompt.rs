use hooks_sdk::prelude::*;

#[plugin::hook(prompt_pre_fetch, when(content_type = "text/*"), deny = "no")]
struct Rule;

fn main() {}
