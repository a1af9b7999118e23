use hooks_sdk::guidance;

#[guidance::hook(start, session, requirement = MAY, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
