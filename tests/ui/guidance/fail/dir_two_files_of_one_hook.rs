use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/two_files_of_one_hook");

fn main() {}
