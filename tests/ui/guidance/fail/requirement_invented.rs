use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MUST_CALL, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
