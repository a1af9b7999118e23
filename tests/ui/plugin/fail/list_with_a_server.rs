use hooks_sdk::{
    plugin::{Definition, Listing},
    prelude::*,
};

#[plugin::list(tools)]
fn hide(_memory: &u8, _tool: &Definition) -> Listing {
    Listing::Hidden
}

fn main() {}
