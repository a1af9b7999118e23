use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = must, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
