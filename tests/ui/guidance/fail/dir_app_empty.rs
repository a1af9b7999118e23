use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/app_empty");

fn main() {}
