use hooks_sdk::lifecycle;

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

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(ids, ["kept", "conditionally"]);
}
