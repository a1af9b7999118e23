use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/skill_undescribed", skills);

fn main() {}
