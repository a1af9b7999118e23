use hooks_sdk::{core::Registry, lifecycle};

struct Memory;
struct Other;

#[lifecycle::hook(session_start, strength = suggestion, text = "Mine.", server = Memory)]
struct Mine;

#[lifecycle::hook(session_start, strength = suggestion, text = "Everybody's.")]
struct Everybodys;

#[test]
fn is_accepted() {
    let ids = |registry: Registry| {
        registry
            .iter()
            .map(|hook| hook.id().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ids(crate::collected::<Memory>(file!()).unwrap()),
        ["mine", "everybodys"]
    );
    assert_eq!(
        ids(crate::collected::<Other>(file!()).unwrap()),
        ["everybodys"]
    );
}
