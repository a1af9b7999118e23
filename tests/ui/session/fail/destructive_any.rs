use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
#[session(destructive(deploy, any))]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any))]
    Ready,
}

fn main() {}
