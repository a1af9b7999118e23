use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion)]
struct Words {
    hello: String,
}

fn main() {}
