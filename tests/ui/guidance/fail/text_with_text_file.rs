use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", text_file = "care-full.md")]
struct Words;

fn main() {}
