use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/value_missing");

fn main() {}
