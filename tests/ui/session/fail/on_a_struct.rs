use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
struct Stage;

fn main() {}
