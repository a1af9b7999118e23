use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/values_of_several_files");

fn main() {}
