use hooks_sdk::prelude::*;

#[plugin::list(tools)]
struct Hide;

fn main() {}
