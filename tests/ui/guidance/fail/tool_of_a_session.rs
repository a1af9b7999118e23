use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", tool = "store_*")]
struct Words;

fn main() {}
