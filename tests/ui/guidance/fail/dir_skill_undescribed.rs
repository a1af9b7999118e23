use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/skill_undescribed", skills);

fn main() {}
