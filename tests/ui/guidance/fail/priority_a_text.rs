use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.", priority = "50")]
struct Words;

fn main() {}
