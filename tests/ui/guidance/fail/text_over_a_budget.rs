use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Tips", text_file = "../dirs/text_over_a_budget/tips.txt")]
struct Tips;

// No client's hooks send it: the server adds it to the result, which has no such limit.
#[guidance::hook(action, cancel, requirement = MAY, name = "Tips", text_file = "../dirs/text_over_a_budget/tips.txt")]
struct Cancelled;

fn main() {}
