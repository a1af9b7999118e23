use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.", tags("a", b))]
struct Words;

fn main() {}
