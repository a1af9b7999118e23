use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
enum Stage<const N: usize> {
    #[stage(start, allow(any))]
    New,
}

fn main() {}
