use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/several_mistakes_at_once");

fn main() {}
