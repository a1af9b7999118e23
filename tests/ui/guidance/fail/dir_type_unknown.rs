use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/type_unknown");

fn main() {}
