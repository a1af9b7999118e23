use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => FIRST))]
    New,
    #[stage(allow(any))]
    Ready,
}

impl Stage {
    const FIRST: Stage = Stage::Ready;
}

fn main() {}
