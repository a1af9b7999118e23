use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/tag_malformed");

fn main() {}
