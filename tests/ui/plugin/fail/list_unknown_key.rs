use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

#[plugin::list(tools, priority = 5)]
fn hide(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

fn main() {}
