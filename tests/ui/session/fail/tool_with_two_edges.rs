use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Ready, session_init => New))]
    New,
    #[stage(allow(any))]
    Ready,
}

fn main() {}
