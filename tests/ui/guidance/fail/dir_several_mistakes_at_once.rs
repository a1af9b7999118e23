use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/several_mistakes_at_once");

fn main() {}
