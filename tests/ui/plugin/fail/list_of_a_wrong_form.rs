use hooks_sdk::{plugin::Definition, prelude::*};

#[plugin::list(tools)]
fn hide(_tool: &Definition) -> bool {
    true
}

fn main() {}
