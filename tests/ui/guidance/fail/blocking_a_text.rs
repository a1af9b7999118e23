use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", blocking = "true")]
struct Words;

fn main() {}
