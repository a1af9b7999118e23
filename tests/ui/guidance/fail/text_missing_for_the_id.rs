use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", id = "some-words")]
struct Words;

fn main() {}
