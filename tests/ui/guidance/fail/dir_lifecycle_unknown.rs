use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/lifecycle_unknown");

fn main() {}
