use hooks_sdk::prelude::*;

#[guidance::hook(session, start, requirement = MAY, name = "Words")]
async fn recall(_firing: &Firing) -> String {
    String::new()
}

fn main() {}
