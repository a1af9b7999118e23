use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion)]
trait Words {}

fn main() {}
