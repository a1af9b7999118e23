use hooks_sdk::guidance;

#[guidance::hook(session, requirement = MAY, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
