use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/skill_named_otherwise");

fn main() {}
