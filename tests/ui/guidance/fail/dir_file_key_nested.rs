use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/file_key_nested");

fn main() {}
