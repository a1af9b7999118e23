use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
#[session(rest(session_clear))]
enum Stage {
    #[stage(strat, nxt(session_init => Ready))]
    New,
    #[stage(allow(any), deny(a-tool), text_file = "none.md")]
    Ready(u8),
}

fn main() {}
