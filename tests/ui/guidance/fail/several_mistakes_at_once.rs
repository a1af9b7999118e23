use hooks_sdk::guidance;

#[guidance::hook(session, requirment = MAY, text = "Hello.", weight = high, deadline = "100ms", storage())]
struct Words;

fn main() {}
