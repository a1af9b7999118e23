//! The author's own sentences for refusals, and tools that no refusal proposes.

use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
#[session(refusal = "`{tool}` has to wait.", destructive(deploy, "roll.back"))]
enum Stage {
    #[stage(start, next(open => Planned))]
    New,
    #[stage(
        next(deploy => Deployed),
        refusal = "{tool} is for later than {state}{first}.",
    )]
    Planned,
    #[stage(next("roll.back" => Planned))]
    Deployed,
}

#[test]
fn is_accepted() {
    let machine = Stage::machine().unwrap();
    let told = |stage: Stage| {
        machine
            .check(stage.index(), "list")
            .unwrap_err()
            .to_string()
    };
    assert_eq!(told(Stage::New), "`list` has to wait.");
    assert_eq!(told(Stage::Planned), "list is for later than Planned.");
    assert!(machine.is_destructive("deploy") && machine.is_destructive("roll.back"));
}
