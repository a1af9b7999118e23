use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/values_of_several_files");

fn main() {}
