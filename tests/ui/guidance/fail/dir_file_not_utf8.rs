use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/file_not_utf8");

fn main() {}
