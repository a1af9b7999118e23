use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), deny(any))]
    Ready,
}

fn main() {}
