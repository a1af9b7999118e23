use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(session_init => Ready), refusal = " ")]
    New,
    #[stage(allow(any))]
    Ready,
}

fn main() {}
