use hooks_sdk::guidance;

#[guidance::hook(session, start, end, requirement = MAY, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
