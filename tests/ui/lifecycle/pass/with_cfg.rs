use hooks_sdk::{core::Registry, lifecycle};

struct Memory;

#[lifecycle::hook(session_start, strength = suggestion, text = "Hello.")]
#[cfg(all())]
struct Kept;

#[lifecycle::hook(session_start, strength = suggestion, text_file = "no_such_file.md")]
#[cfg(any())]
struct Gone;

#[cfg_attr(all(), lifecycle::hook(session_start, strength = suggestion))]
async fn conditionally() -> String {
    String::new()
}

fn main() {
    let registry = Registry::collect::<Memory>().unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(ids, ["kept", "conditionally"]);
}
