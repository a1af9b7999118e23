use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(search, "search"), next(session_init => New))]
    Ready,
}

fn main() {}
