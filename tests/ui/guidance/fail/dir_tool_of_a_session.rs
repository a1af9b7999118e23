use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/tool_of_a_session");

fn main() {}
