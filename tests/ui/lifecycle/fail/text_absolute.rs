use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion, text = "/etc/hostname")]
struct Words;

fn main() {}
