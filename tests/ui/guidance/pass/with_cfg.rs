use hooks_sdk::guidance;

struct Memory;

#[guidance::hook(session, start, requirement = MAY, name = "Kept", text = "Hello.")]
#[cfg(all())]
struct Kept;

#[guidance::hook(session, start, requirement = MAY, name = "Gone", text_file = "no_such_file.md")]
#[cfg(any())]
struct Gone;

#[cfg_attr(all(), guidance::hook(session, start, requirement = MAY, name = "Conditionally"))]
async fn conditionally() -> String {
    String::new()
}

#[cfg(any())]
guidance::dir!("no/such/folder");

#[test]
fn is_accepted() {
    let registry = crate::collected::<Memory>(file!()).unwrap();
    let ids: Vec<&str> = registry.iter().map(|hook| hook.id()).collect();
    assert_eq!(ids, ["session:start:kept", "session:start:conditionally"]);
}
