use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/name_empty");

fn main() {}
