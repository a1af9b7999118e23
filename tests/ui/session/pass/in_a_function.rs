use hooks_sdk::session::SessionState;

#[test]
fn is_accepted() {
    #[derive(SessionState, Clone, Copy)]
    enum Stage {
        #[stage(start, next(session_init => Ready))]
        New,
        #[stage(allow(any))]
        Ready,
    }
    assert!(Stage::machine().is_ok());
}
