use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
#[session(reset(session_clear))]
enum Stage {
    #[stage(start, next(session_init => Raedy, session_init => Working))]
    New,
    #[stage(start, allow(any, search), deny(search))]
    Ready,
    #[stage(allow(search))]
    Working,
    #[stage(allow(any), deny(session_clear), next(session_clear => New))]
    Done,
}

fn main() {}
