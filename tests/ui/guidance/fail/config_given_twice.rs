use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.", config(debug = true, "debug" = false))]
struct Words;

fn main() {}
