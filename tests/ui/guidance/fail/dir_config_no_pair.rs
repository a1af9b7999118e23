use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/config_no_pair");

fn main() {}
