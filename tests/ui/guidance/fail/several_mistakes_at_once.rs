use hooks_sdk::guidance;

#[guidance::hook(session, requirment = MAY, content = "Hello.", priority = high, deadline_ms = 100, storage())]
struct Words;

fn main() {}
