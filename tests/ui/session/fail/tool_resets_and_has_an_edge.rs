use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
#[session(reset(session_clear))]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), next(session_clear => New))]
    Ready,
}

fn main() {}
