use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, context = "Hello.")]
struct Words<const N: usize>;

fn main() {}
