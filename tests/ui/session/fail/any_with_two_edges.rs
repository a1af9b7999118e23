use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {
    #[stage(start, next(any => Ready, any => New))]
    New,
    #[stage(allow(any))]
    Ready,
}

fn main() {}
