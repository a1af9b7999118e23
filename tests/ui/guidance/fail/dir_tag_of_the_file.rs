use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/tag_of_the_file");

fn main() {}
