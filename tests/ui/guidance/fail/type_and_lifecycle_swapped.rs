use hooks_sdk::guidance;

#[guidance::hook(start, session, requirement = MAY, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
