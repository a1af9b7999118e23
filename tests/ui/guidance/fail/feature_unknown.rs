use hooks_sdk::guidance;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content = "Hello.", features(sampling, elicit))]
struct Words;

fn main() {}
