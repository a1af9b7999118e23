use hooks_sdk::lifecycle;

#[lifecycle::hook(session_start, priority = suggestion)]
enum Words {
    Hello,
}

fn main() {}
