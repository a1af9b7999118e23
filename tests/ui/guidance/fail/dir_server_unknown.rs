use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/folder_of_hooks", server = Memory);

fn main() {}
