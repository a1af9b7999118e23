use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/priority_no_number");

fn main() {}
