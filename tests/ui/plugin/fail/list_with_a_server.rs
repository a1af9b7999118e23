use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

#[plugin::list(tools)]
fn hide(_memory: &u8, _tool: &ListedItem) -> Listed {
    Listed::Hidden
}

fn main() {}
