use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/folder_empty");

fn main() {}
