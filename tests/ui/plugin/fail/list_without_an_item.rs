use hooks_sdk::{plugin::Listed, prelude::*};

#[plugin::list(tools)]
fn hide() -> Listed {
    Listed::Hidden
}

fn main() {}
