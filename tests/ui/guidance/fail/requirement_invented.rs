use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MUST_CALL, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
