use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/skills_of_one_name", skills);

fn main() {}
