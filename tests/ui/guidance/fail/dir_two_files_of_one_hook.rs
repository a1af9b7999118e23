use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/two_files_of_one_hook");

fn main() {}
