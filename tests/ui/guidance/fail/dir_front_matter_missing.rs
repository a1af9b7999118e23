use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/front_matter_missing");

fn main() {}
