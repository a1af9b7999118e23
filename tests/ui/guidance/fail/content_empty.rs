use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = " ")]
struct Words;

fn main() {}
