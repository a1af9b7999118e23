use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/skills", skills = true);

fn main() {}
