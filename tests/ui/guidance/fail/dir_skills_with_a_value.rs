use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/skills", skills = true);

fn main() {}
