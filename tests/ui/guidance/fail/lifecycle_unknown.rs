use hooks_sdk::guidance;

#[guidance::hook(session, finally, requirement = MAY, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
