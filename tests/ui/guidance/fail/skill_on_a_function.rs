use hooks_sdk::guidance;

/// Gives tips.
#[guidance::hook(session, start, requirement = MAY, name = "Tips", skill = true)]
async fn tips() -> String {
    "Read.".to_owned()
}

fn main() {}
