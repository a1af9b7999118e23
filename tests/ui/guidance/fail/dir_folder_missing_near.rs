use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/folder_of_hook");

fn main() {}
