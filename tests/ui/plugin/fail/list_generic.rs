use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

#[plugin::list(tools)]
fn hide<T>(_tool: &ListedItem) -> Listed {
    Listed::Hidden
}

fn main() {}
