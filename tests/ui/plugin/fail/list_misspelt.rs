use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

#[plugin::list(tool)]
fn hide(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

fn main() {}
