use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/several_values");

fn main() {}
