use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/folder_of_hooks", priority = 50);

fn main() {}
