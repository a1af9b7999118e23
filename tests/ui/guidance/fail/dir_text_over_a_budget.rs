use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/text_over_a_budget");

fn main() {}
