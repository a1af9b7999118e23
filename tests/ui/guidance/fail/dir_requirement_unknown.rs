use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/requirement_unknown");

fn main() {}
