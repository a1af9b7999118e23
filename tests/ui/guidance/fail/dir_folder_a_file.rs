use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/folder_of_hooks/welcome.md");

fn main() {}
