use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/config_no_pair");

fn main() {}
