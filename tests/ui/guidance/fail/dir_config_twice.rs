use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/config_twice");

fn main() {}
