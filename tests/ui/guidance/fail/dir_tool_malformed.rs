use hooks_sdk::guidance;

guidance::dir!("ui/guidance/dirs/tool_malformed");

fn main() {}
