use hooks_sdk::{plugin::ListedItem, prelude::*};

#[plugin::list(tools)]
fn hide(_tool: &ListedItem) -> bool {
    true
}

fn main() {}
