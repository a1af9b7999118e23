use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/feature_unknown");

fn main() {}
