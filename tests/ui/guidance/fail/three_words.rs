use hooks_sdk::guidance;

#[guidance::hook(session, start, end, requirement = MAY, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
