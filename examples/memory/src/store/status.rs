//! What the store says about itself.

use std::path::PathBuf;

use super::{Store, error::Error, schema};

/// What the connection that serves calls says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The file.
    pub database: PathBuf,
    /// How many memories there are, superseded ones included.
    pub memories: u64,
    /// How many projects have memories.
    pub projects: u64,
    /// How many conversations have memories of their own.
    pub conversations: u64,
    /// `PRAGMA journal_mode`.
    pub journal_mode: String,
    /// `PRAGMA synchronous`; 2 is `FULL`.
    pub synchronous: i64,
    /// The version of the tables.
    pub schema: i64,
    /// The version of SQLite.
    pub sqlite: &'static str,
}

impl Store {
    /// What the connection that serves calls says about itself.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn status(&self) -> Result<Status, Error> {
        let database = self.path().to_owned();
        self.run(move |db| {
            let counted = db.first(
                "SELECT count(*),
                        count(DISTINCT CASE WHEN conversation IS NULL THEN project END),
                        count(DISTINCT conversation)
                 FROM memory",
                &[],
                |row| Ok([row.get::<_, u64>(0)?, row.get(1)?, row.get(2)?]),
            )?;
            let [memories, projects, conversations] = counted.unwrap_or_default();
            Ok(Status {
                database,
                memories,
                projects,
                conversations,
                journal_mode: db
                    .0
                    .pragma_query_value(None, "journal_mode", |row| row.get(0))?,
                synchronous: db
                    .0
                    .pragma_query_value(None, "synchronous", |row| row.get(0))?,
                schema: schema::version(db.0)?,
                sqlite: rusqlite::version(),
            })
        })
        .await
    }
}
