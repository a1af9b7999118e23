use hooks_sdk::guidance;

guidance::dir!("guidance/dirs/tool_malformed");

fn main() {}
