use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", name = "Words")]
struct Words;

fn main() {}
