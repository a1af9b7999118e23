use hooks_sdk::guidance;

#[guidance::hook(prompt, start, requirement = MAY, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
