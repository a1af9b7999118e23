use hooks_sdk::{
    plugin::{Definition, Listing},
    prelude::*,
};

#[plugin::list(prompts, tool = "admin_*")]
fn hide(_tool: &Definition) -> Listing {
    Listing::Hidden
}

fn main() {}
