use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/front_matter_open");

fn main() {}
