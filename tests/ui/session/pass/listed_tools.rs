//! The listed-tools mode: before initialization only the listed are refused.

use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, allow(any), deny(deploy), next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

#[test]
fn is_accepted() {
    let machine = Stage::machine().unwrap();
    assert!(machine.allows(Stage::New.index(), "search"));
    assert!(!machine.allows(Stage::New.index(), "deploy"));
}
