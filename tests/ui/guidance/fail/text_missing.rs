use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words")]
struct CareFul;

fn main() {}
