use hooks_sdk::{
    plugin::{Definition, Listing},
    prelude::*,
};

struct Memory;

impl Memory {
    #[plugin::list(tools)]
    fn hide(&self, _tool: &Definition) -> Listing {
        Listing::Hidden
    }
}

fn main() {}
