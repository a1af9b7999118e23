use hooks_sdk::guidance;

#[guidance::hook(session, start, name = "Words", content = "Hello.")]
struct Words;

fn main() {}
