use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/skill_without_front_matter", skills);

fn main() {}
