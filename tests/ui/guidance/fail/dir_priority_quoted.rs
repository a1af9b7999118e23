use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/priority_quoted");

fn main() {}
