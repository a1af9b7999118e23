use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/ending_of_another_spelling");

fn main() {}
