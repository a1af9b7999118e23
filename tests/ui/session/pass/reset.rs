//! A tool that resets is a way on, and may be denied where nothing else is allowed.

use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
#[session(reset(session_clear, "session.end"))]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(search), deny(session_clear))]
    Ready,
}

#[test]
fn is_accepted() {
    let machine = Stage::machine().unwrap();
    assert!(machine.reset_tools().eq(["session_clear", "session.end"]));
    assert!(!machine.allows(Stage::New.index(), "session_clear"));
    assert!(!machine.allows(Stage::Ready.index(), "session_clear"));
    assert!(machine.allows(Stage::Ready.index(), "session.end"));
}
