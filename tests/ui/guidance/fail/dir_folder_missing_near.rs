use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/folder_of_hook");

fn main() {}
