use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/feature_unknown");

fn main() {}
