use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", text = "Hello.", config(debug = true, "debug" = false))]
struct Words;

fn main() {}
