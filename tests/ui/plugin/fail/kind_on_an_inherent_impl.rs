use hooks_sdk::prelude::*;

struct Greylist;

#[plugin(kind = "greylist")]
impl Greylist {}

fn main() {}
