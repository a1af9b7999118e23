use hooks_sdk::guidance;

guidance::dir!();

fn main() {}
