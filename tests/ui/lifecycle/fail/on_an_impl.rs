use hooks_sdk::lifecycle;

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion)]
impl Memory {}

fn main() {}
