use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/file_too_long");

fn main() {}
