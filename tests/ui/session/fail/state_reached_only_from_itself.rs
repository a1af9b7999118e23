use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, allow(any))]
    New,
    #[stage(next(again => Ready))]
    Ready,
}

fn main() {}
