use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "", text = "Hello.")]
struct Words;

fn main() {}
