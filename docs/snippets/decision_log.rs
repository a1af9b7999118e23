//! The code of the book's page about the decision log.

use std::path::Path;

use hooks_sdk::log::{DecisionLog, Posture};

// ANCHOR: log
fn logged(folder: &Path) -> DecisionLog {
    DecisionLog::to(folder.join("decisions.jsonl"), Posture::Deny)
        .key_file(folder.join("log.keys"))
        .rotate(50 * 1024 * 1024, 10)
}
// ANCHOR_END: log

#[test]
fn the_log_of_the_page_is_one() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(logged(folder.path()).posture(), Posture::Deny);
}
