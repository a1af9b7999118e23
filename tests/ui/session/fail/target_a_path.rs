use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Stage::Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

fn main() {}
