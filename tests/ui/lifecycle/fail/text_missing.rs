use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion)]
struct LoadContexts;

fn main() {}
