use hooks_sdk::{
    plugin::{Definition, Listing},
    prelude::*,
};

#[plugin::list(tools)]
#[plugin::list(prompts)]
fn hide(_tool: &Definition) -> Listing {
    Listing::Hidden
}

fn main() {}
