use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/folder_empty");

fn main() {}
