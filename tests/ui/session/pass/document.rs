//! The guidance document's machine, as `Machine::standard` makes it.

use hooks_sdk::session::{Machine, SessionState};

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Initialized))]
    Uninitialized,
    /// Session initialized. Ready to work.
    #[stage(next(session_init => Initialized, check_reports => Ready, any => Working))]
    Initialized,
    #[stage(next(session_init => Initialized, check_reports => Ready, any => Working))]
    Ready,
    #[stage(allow(any), next(session_init => Initialized, check_reports => Ready))]
    Working,
}

#[test]
fn is_accepted() {
    let machine = Stage::machine().unwrap();
    let standard = Machine::standard().ready("check_reports").build().unwrap();
    assert_eq!(machine.start(), standard.start());
    assert_eq!(machine.states().len(), standard.states().len());
    for state in standard.states() {
        assert_eq!(machine.name(state).to_lowercase(), standard.name(state));
        assert_eq!(machine.text(state), standard.text(state));
        assert!(machine.arrows(state).eq(standard.arrows(state)));
        assert!(machine.allowed(state).eq(standard.allowed(state)));
        assert_eq!(machine.allows_any(state), standard.allows_any(state));
    }
}
