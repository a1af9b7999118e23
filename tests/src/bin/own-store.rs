//! A served program whose author adds a store of their own: the test of `Program::store_scheme` starts it.

use std::process::ExitCode;

use hooks_sdk::{cli::Program, rmcp::ServerHandler, store::SqliteStore};

struct Notes;

impl ServerHandler for Notes {}

fn main() -> ExitCode {
    Program::new("notes", || Ok(Notes))
        .store_scheme("folder", async |url: String| {
            let folder = url.strip_prefix("folder:").unwrap_or_default();
            Ok(SqliteStore::open(format!("{folder}/own.db"))?)
        })
        .main()
}
