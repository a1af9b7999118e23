use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/value_missing");

fn main() {}
