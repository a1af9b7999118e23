use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MUSTNT, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
