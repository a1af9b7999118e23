use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

#[plugin::list(tools)]
async fn hide(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

fn main() {}
