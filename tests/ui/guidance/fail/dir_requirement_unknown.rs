use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/requirement_unknown");

fn main() {}
