//! The hook store: what processes share in it, what it says of the past, and that it is never in the way.

mod policy;
mod processes;
mod retention;
mod shared;
mod stats;
mod trouble;
mod waiting;

use std::path::PathBuf;

use hooks_sdk::clients::history::{FiringReceipt, HookStore};
use tempfile::TempDir;

/// A hook store in a folder of its own, which goes with the folder.
fn fresh() -> (TempDir, PathBuf, HookStore) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/hooks.db");
    let store = HookStore::open(&path);
    (folder, path, store)
}

fn firing(hook: &str, session: &str) -> FiringReceipt {
    FiringReceipt::new(hook, session, "claude-code", "post_tool_use").characters(100)
}
