use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/file_too_long");

fn main() {}
