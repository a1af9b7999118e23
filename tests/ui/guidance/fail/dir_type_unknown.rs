use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/type_unknown");

fn main() {}
