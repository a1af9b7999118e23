use hooks_sdk::guidance;

#[guidance::hook(session, requirement = MAY, start, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
