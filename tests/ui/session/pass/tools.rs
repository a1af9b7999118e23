//! A tool is a word or a string; the string "any" is a tool called any.

use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, allow(r#type, move, "any"), next("session.init" => Ready, login => Ready))]
    New,
    #[stage(next(any => Ready), deny("drop-all"))]
    Ready,
}

#[test]
fn is_accepted() {
    let machine = Stage::machine().unwrap();
    let new = Stage::New.index();
    for tool in ["type", "move", "any", "session.init", "login"] {
        assert!(machine.allows(new, tool), "{tool}");
    }
    assert!(!machine.allows(new, "search"));
    assert!(machine.allows(Stage::Ready.index(), "search"));
    assert!(!machine.allows(Stage::Ready.index(), "drop-all"));
}
