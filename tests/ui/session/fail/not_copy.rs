use hooks_sdk::session::SessionState;

#[derive(SessionState)]
enum Stage {
    #[stage(start, allow(any))]
    New,
}

fn main() {}
