use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion)]
trait Words {}

fn main() {}
