use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MUSTNT, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
