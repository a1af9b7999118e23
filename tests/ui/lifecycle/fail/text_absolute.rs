use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "/etc/hostname")]
struct Words;

fn main() {}
