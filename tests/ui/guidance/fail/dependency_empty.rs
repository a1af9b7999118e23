use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.", dependencies(""))]
struct Words;

fn main() {}
