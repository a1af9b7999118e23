use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/skill_name_malformed", skills);

fn main() {}
