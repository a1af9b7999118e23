use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/lifecycle_unknown");

fn main() {}
