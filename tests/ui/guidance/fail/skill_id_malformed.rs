use hooks_sdk::guidance;

/// Gives tips.
#[guidance::hook(session, start, requirement = MAY, name = "Tips", id = "a--b", text = "Read.", skill = true)]
struct Tips;

fn main() {}
