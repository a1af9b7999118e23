use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Tips", text = "Read.", skill = true)]
struct Tips;

fn main() {}
