use hooks_sdk::lifecycle;

#[lifecycle::hook(strength = suggestion, text = "Hello.")]
struct Words;

fn main() {}
