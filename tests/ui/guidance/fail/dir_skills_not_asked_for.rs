use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/skill_named_otherwise");

fn main() {}
