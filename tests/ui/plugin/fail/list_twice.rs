use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

#[plugin::list(tools)]
#[plugin::list(prompts)]
fn hide(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

fn main() {}
