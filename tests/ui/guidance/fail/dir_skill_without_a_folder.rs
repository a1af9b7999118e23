use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/skill_without_a_folder", skills);

fn main() {}
