use hooks_sdk::prelude::*;

#[aos::knowledge]
async fn search() {}

fn main() {}
