use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", tags("a", "b", "a"))]
struct Words;

fn main() {}
