use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "", content = "Hello.")]
struct Words;

fn main() {}
