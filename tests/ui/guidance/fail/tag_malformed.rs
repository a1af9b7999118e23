use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.", tag = "Some_Words")]
struct Words;

fn main() {}
