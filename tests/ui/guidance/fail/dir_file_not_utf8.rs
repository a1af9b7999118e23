use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/file_not_utf8");

fn main() {}
