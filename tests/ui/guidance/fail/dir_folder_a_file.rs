use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/folder_of_hooks/welcome.md");

fn main() {}
