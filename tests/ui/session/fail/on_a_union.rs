use hooks_sdk::session::SessionState;

#[derive(SessionState, Clone, Copy)]
union Stage {
    new: u8,
}

fn main() {}
