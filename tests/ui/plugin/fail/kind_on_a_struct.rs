use hooks_sdk::prelude::*;

#[plugin(kind = "greylist")]
struct Greylist;

fn main() {}
