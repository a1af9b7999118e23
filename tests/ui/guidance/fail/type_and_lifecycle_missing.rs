use hooks_sdk::guidance;

#[guidance::hook(requirement = MAY, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
