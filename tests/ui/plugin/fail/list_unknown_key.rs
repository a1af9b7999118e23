use hooks_sdk::{
    plugin::{Definition, Listing},
    prelude::*,
};

#[plugin::list(tools, priority = 5)]
fn hide(_tool: &Definition) -> Listing {
    Listing::Hidden
}

fn main() {}
