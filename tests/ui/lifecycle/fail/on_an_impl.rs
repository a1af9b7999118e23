use hooks_sdk::lifecycle;

struct Memory;

#[lifecycle::hook(session_start, priority = suggestion)]
impl Memory {}

fn main() {}
