//! Conditions are decided before the derive sees the enum.

use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[cfg_attr(all(), stage(start, next(session_init => Ready)))]
    #[cfg_attr(any(), stage(begin))]
    New,
    #[stage(allow(any))]
    Ready,
    #[cfg(any())]
    #[stage(start)]
    Never,
}

#[test]
fn is_accepted() {
    assert_eq!(Stage::machine().unwrap().states().len(), 2);
}
