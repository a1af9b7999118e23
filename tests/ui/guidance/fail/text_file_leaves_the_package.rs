use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text_file = "../../../../README.md")]
struct Words;

fn main() {}
