use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/name_empty");

fn main() {}
