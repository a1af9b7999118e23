use hooks_sdk::guidance;

#[guidance::hook(action, start, requirement = MAY, name = "Words", text = "Hello.", tool = "store_[")]
struct Words;

fn main() {}
