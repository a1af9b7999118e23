use hooks_sdk::guidance;

#[guidance::hook(requirement = MAY, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
