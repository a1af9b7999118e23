use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.")]
#[guidance::hook(session, end, requirement = MAY, name = "Words", text = "Bye.")]
struct Words;

fn main() {}
