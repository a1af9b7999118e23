use hooks_sdk::guidance;

#[guidance::hook(session, strat, requirement = MAY, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
