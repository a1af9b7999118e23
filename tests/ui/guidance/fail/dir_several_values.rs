use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/several_values");

fn main() {}
