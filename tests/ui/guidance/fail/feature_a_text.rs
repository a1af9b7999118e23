use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", features("sampling"))]
struct Words;

fn main() {}
