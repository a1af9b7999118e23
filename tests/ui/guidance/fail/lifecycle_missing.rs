use hooks_sdk::guidance;

#[guidance::hook(session, requirement = MAY, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
