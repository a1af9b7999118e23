use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", deadline = "100ms")]
struct Words;

fn main() {}
