use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/front_matter_no_yaml");

fn main() {}
