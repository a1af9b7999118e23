use hooks_sdk::guidance;

struct Memory;

guidance::dir!("guidance/dirs/folder_of_hooks", sever = Memory);

fn main() {}
