use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion)]
struct Nowhere;

fn main() {}
