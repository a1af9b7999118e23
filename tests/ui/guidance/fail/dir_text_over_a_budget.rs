use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/text_over_a_budget");

fn main() {}
