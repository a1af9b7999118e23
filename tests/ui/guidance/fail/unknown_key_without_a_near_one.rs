use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", when = "always")]
struct Words;

fn main() {}
