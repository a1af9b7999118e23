use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.")]
struct Words<const N: usize>;

fn main() {}
