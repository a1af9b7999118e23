use hooks_sdk::{
    plugin::{Definition, Listing},
    prelude::*,
};

#[plugin::list(tools)]
fn hide<T>(_tool: &Definition) -> Listing {
    Listing::Hidden
}

fn main() {}
