use hooks_sdk::{
    plugin::{ListedItem, Listed},
    prelude::*,
};

struct Memory;

impl Memory {
    #[plugin::list(tools)]
    fn hide(&self, _tool: &ListedItem) -> Listed {
        Listed::Hidden
    }
}

fn main() {}
