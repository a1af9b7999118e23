use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/skill_in_a_skill", skills);

fn main() {}
