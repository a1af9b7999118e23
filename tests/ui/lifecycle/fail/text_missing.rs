use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion)]
struct LoadContexts;

fn main() {}
