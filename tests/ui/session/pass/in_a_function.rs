use hooks_sdk::session::SessionState;

fn main() {
    #[derive(SessionState, Clone, Copy)]
    enum Stage {
        #[stage(start, next(session_init => Ready))]
        New,
        #[stage(allow(any))]
        Ready,
    }
    assert!(Stage::machine().is_ok());
}
