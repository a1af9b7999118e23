use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/tool_of_a_session");

fn main() {}
