use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/text_empty");

fn main() {}
