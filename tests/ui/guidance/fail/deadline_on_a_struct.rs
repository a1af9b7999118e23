use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.", deadline_ms = 100)]
struct Words;

fn main() {}
