use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text_file = "care_full.md")]
struct Words;

fn main() {}
