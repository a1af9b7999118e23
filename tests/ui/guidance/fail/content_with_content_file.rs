use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.", content_file = "care-full.md")]
struct Words;

fn main() {}
