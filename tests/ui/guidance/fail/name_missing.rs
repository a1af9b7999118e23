use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, content = "Hello.")]
struct Words;

fn main() {}
