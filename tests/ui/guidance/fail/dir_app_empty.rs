use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/app_empty");

fn main() {}
