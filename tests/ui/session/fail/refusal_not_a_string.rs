use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
#[session(refusal)]
enum Stage {
    #[stage(start, next(session_init => Ready), refusal = later)]
    New,
    #[stage(allow(any))]
    Ready,
}

fn main() {}
