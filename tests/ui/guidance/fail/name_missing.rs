use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, text = "Hello.")]
struct Words;

fn main() {}
