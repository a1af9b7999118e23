use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", tags("a", b))]
struct Words;

fn main() {}
