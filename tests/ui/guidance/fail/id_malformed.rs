use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", id = "Some_Words")]
struct Words;

fn main() {}
