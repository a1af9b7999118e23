use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/file_key_missing");

fn main() {}
