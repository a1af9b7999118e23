use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/ending_of_another_spelling");

fn main() {}
