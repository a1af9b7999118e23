use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/skill_name_malformed", skills);

fn main() {}
