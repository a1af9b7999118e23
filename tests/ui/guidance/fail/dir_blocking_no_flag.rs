use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/blocking_no_flag");

fn main() {}
