use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion)]
struct Words {
    hello: String,
}

fn main() {}
