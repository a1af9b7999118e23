//! What the store says about itself.

use super::{
    Backend, Store,
    database::{Database, Db},
    error::Error,
    schema,
};

/// What the connection that serves calls says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The database; a URL without its password.
    pub database: Database,
    /// How many memories there are, superseded ones included.
    pub memories: u64,
    /// How many projects have memories.
    pub projects: u64,
    /// How many conversations have memories of their own.
    pub conversations: u64,
    /// The version of the tables.
    pub schema: i64,
    /// What keeps the database.
    pub engine: Engine,
}

/// What keeps a database, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// SQLite, in this process.
    Sqlite {
        /// `PRAGMA journal_mode`.
        journal_mode: String,
        /// `PRAGMA synchronous`; 2 is `FULL`.
        synchronous: i64,
        /// The version of SQLite.
        version: &'static str,
    },
    /// A PostgreSQL server.
    Postgres {
        /// `synchronous_commit`; `on` is what survives a power cut.
        synchronous_commit: String,
        /// The version of PostgreSQL.
        version: String,
    },
}

impl Store {
    /// What the connection that serves calls says about itself.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn status(&self) -> Result<Status, Error> {
        let database = match &*self.backend {
            Backend::Sqlite(file) => Database::File(file.path().to_owned()),
            #[cfg(feature = "postgres")]
            Backend::Postgres(server) => server.database.clone(),
            Backend::Unusable(what, help) => return Err(Error::refused(what, help)),
        };
        self.run(move |db| {
            let counted = db.first(
                "SELECT count(*),
                        count(DISTINCT CASE WHEN conversation IS NULL THEN project END),
                        count(DISTINCT conversation)
                 FROM memory",
                &[],
                |row| Ok([row.get::<i64>(0)?, row.get(1)?, row.get(2)?]),
            )?;
            let counted = counted.unwrap_or_default();
            let [memories, projects, conversations] =
                counted.map(|number| u64::try_from(number).unwrap_or_default());
            let (schema, engine) = engine(db)?;
            Ok(Status {
                database,
                memories,
                projects,
                conversations,
                schema,
                engine,
            })
        })
        .await
    }
}

/// The version of the tables, and what keeps them.
fn engine(db: Db<'_>) -> Result<(i64, Engine), Error> {
    match db {
        Db::Sqlite(db) => Ok((
            schema::version(db)?,
            Engine::Sqlite {
                journal_mode: db.pragma_query_value(None, "journal_mode", |row| row.get(0))?,
                synchronous: db.pragma_query_value(None, "synchronous", |row| row.get(0))?,
                version: rusqlite::version(),
            },
        )),
        #[cfg(feature = "postgres")]
        Db::Postgres(_) => {
            let setting = |name: &str| {
                let sql = "SELECT current_setting(?1)";
                Ok::<_, Error>(
                    db.first(sql, &[&name], |row| row.get(0))?
                        .unwrap_or_default(),
                )
            };
            Ok((
                db.number("SELECT version FROM version", &[])?,
                Engine::Postgres {
                    synchronous_commit: setting("synchronous_commit")?,
                    version: setting("server_version")?,
                },
            ))
        }
    }
}
