use hooks_sdk::prelude::*;

#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    #[stage(start, next(session_init => Ready))]
    New,
    #[stage(allow(any), text = "ready.md")]
    Ready,
}

fn main() {}
