use hooks_sdk::guidance;

#[guidance::hook(session, strat, requirement = MAY, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
