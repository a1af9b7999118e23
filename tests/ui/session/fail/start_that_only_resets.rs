use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
#[session(reset(session_clear))]
enum Stage {
    #[stage(start)]
    New,
}

fn main() {}
