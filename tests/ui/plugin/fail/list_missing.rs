use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

#[plugin::list(tool = "admin_*")]
fn hide(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

fn main() {}
