use hooks_sdk::guidance;

guidance::dir!("../hooks");

fn main() {}
