use hooks_sdk::guidance;

#[guidance::hook(session, start, name = "Words", text = "Hello.")]
struct Words;

fn main() {}
