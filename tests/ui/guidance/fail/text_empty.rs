use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = " ")]
struct Words;

fn main() {}
