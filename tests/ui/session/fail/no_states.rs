use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage {}

fn main() {}
