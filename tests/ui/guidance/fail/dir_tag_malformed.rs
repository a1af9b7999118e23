use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/tag_malformed");

fn main() {}
