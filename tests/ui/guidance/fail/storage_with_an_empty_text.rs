use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", storage("sqlite", ""))]
struct Words;

fn main() {}
