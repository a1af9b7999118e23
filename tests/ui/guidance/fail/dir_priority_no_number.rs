use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/priority_no_number");

fn main() {}
