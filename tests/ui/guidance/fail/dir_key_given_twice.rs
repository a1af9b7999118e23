use hooks_sdk::guidance;

struct Memory;

guidance::dir!("guidance/dirs/folder_of_hooks", server = Memory, server = Memory);

fn main() {}
