use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/text_empty");

fn main() {}
