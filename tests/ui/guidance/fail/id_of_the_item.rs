use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.")]
struct Wörter;

fn main() {}
