use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", tag = "some-words")]
struct Words;

fn main() {}
