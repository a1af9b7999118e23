//! The hook store: what processes share in it, what it says of the past, and that it is never in the way.

mod policy;
mod processes;
mod retention;
mod shared;
mod trouble;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

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
    FiringReceipt::new(hook, session, "claude-code", "post_tool_use")
}

/// Returns each hook in the file, with how often it fired and in how many sessions.
fn fired(path: &Path) -> rusqlite::Result<Vec<(String, u64, u64)>> {
    let connection = rusqlite::Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    let sql =
        "SELECT hook, count(*), count(DISTINCT session) FROM firing GROUP BY hook ORDER BY hook";
    let mut found = connection.prepare(sql)?;
    let rows = found.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    rows.collect()
}
