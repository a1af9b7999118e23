use hooks_sdk::guidance;

#[guidance::hook(sesion, start, requirement = MAY, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
