use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", features)]
struct Words;

fn main() {}
