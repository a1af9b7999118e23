use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/blocking_no_flag");

fn main() {}
