use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, strength = suggestion)]
enum Words {
    Hello,
}

fn main() {}
