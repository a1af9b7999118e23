use hooks_sdk::guidance;

#[guidance::hook(session, finally, requirement = MAY, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
