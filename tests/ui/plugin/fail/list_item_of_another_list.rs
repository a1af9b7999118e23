use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

#[plugin::list(prompts, tool = "admin_*")]
fn hide(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

fn main() {}
