use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = must, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
