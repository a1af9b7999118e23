use hooks_sdk::{plugin::Listing, prelude::*};

#[plugin::list(tools)]
fn hide() -> Listing {
    Listing::Hidden
}

fn main() {}
