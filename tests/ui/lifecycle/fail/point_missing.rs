use hooks_sdk::lifecycle;

#[lifecycle::hook(priority = suggestion, context = "Hello.")]
struct Words;

fn main() {}
