use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/priority_quoted");

fn main() {}
