use hooks_sdk::guidance;

#[guidance::hook(sesion, start, requirement = MAY, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
