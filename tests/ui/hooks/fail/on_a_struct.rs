#[hooks_sdk::hooks]
struct Memory;

fn main() {}
