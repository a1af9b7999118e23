use hooks_sdk::prelude::*;

#[guidance::hook(session, start, requirement = MAY, name = "Words", tag = "words", content = "Hello.", priority = 60)]
struct OldWords;

#[guidance::hook(session, start, requirement = MAY, name = "Words", content_file = "hello.md")]
struct OldFile;

#[guidance::hook(session, start, requirement = MAY, name = "Words", deadline_ms = 500)]
async fn old_time() -> String {
    String::new()
}

fn main() {}
