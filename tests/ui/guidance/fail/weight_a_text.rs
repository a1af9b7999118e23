use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", weight = "50")]
struct Words;

fn main() {}
