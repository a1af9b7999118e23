use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.")]
#[guidance::hook(session, end, requirement = MAY, name = "Words", content = "Bye.")]
struct Words;

fn main() {}
