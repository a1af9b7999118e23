use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/config_twice");

fn main() {}
