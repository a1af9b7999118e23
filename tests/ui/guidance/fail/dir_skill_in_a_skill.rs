use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/skill_in_a_skill", skills);

fn main() {}
