use hooks_sdk::guidance;

#[guidance::hook(prompt, start, requirement = MAY, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
