//! The memories on disk: a SQLite file, or a database of PostgreSQL; every write in one transaction.

pub mod check;
mod checkpoints;
mod connect;
mod database;
mod error;
mod everyday;
mod jsonl;
mod merge;
mod newest;
#[cfg(feature = "postgres")]
mod postgres;
mod query;
mod recall;
mod record;
mod remind;
mod schema;
mod search;
mod similar;
mod status;
mod words;
mod write;

use std::{
    io::{BufRead, Write},
    path::Path,
    sync::Arc,
};

use database::Db;

pub use connect::{Options, default_path};
pub use database::{Database, has_password, is_url};
pub use error::{Error, Trouble};
pub use jsonl::Imported;
pub use query::{Query, Scope};
pub use record::{Change, Draft, Record, Retag, Similar, Stored};
pub use remind::Reminder;
pub use search::{Expanded, Found, Hit, Topic, Topics};
pub use status::{Engine, Status};

/// The project of what is learned from turns: a host of MCPL names conversations, and no projects.
pub const CONVERSATIONS: &str = "conversations";

/// A handle on the database; clones share its connections.
#[derive(Clone, Debug)]
pub struct Store {
    backend: Arc<Backend>,
    options: Options,
}

#[derive(Debug)]
enum Backend {
    Sqlite(connect::File),
    #[cfg(feature = "postgres")]
    Postgres(Arc<postgres::Server>),
    /// A URL that names no database: what is wrong with it, and what mends it.
    Unusable(String, String),
}

impl Store {
    /// Opens the database at a path or a PostgreSQL URL, making the file and its folders, or the tables, when they are
    /// missing.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is locked or damaged, or was written by a newer or another
    /// program; when the server cannot be reached.
    pub fn open(database: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let mut backend = Backend::of(database.as_ref(), &options);
        match &mut backend {
            Backend::Sqlite(file) => file.open()?,
            #[cfg(feature = "postgres")]
            Backend::Postgres(server) => server.open()?,
            Backend::Unusable(what, help) => return Err(Error::refused(&*what, &*help)),
        }
        Ok(Self {
            backend: Arc::new(backend),
            options,
        })
    }

    /// Names the database; the first call opens it, and calls answer with an error until it opens.
    #[must_use]
    pub fn deferred(database: impl AsRef<Path>, options: Options) -> Self {
        Self {
            backend: Arc::new(Backend::of(database.as_ref(), &options)),
            options,
        }
    }

    /// Stores one memory; when this returns the memory is on disk.
    ///
    /// # Errors
    ///
    /// When the input is out of bounds, `supersedes` names nothing, or the database fails.
    pub async fn store(&self, project: &str, draft: Draft) -> Result<Stored, Error> {
        let mut stored = self.write_all(project, vec![draft], false).await?;
        Ok(stored.remove(0))
    }

    /// Stores several memories, all or none.
    ///
    /// # Errors
    ///
    /// As [`Store::store`]; the text names the entry.
    pub async fn store_batch(
        &self,
        project: &str,
        drafts: Vec<Draft>,
    ) -> Result<Vec<Stored>, Error> {
        check::count("memories", drafts.len(), check::MAX_BATCH)?;
        self.write_all(project, drafts, true).await
    }

    async fn write_all(
        &self,
        project: &str,
        drafts: Vec<Draft>,
        numbered: bool,
    ) -> Result<Vec<Stored>, Error> {
        let project = check::project(project)?;
        self.run(move |db| write::store(db, &project, &drafts, numbered))
            .await
    }

    /// Searches; a query without words returns the most recent memories.
    ///
    /// # Errors
    ///
    /// When the input is out of bounds or the database fails.
    pub async fn search(&self, query: Query) -> Result<Found, Error> {
        let query = query.checked()?;
        self.run(move |db| search::search(db, &query)).await
    }

    /// Reads memories by id, in the order of the ids.
    ///
    /// # Errors
    ///
    /// When none of the ids is known, or the database fails.
    pub async fn expand(&self, project: &str, ids: Vec<String>) -> Result<Expanded, Error> {
        let project = check::project(project)?;
        check::count("memory_ids", ids.len(), check::MAX_LIMIT)?;
        self.run(move |db| search::expand(db, &project, &ids)).await
    }

    /// Changes a memory in place.
    ///
    /// # Errors
    ///
    /// When nothing would change, the id is unknown, the input is out of bounds or the database fails.
    pub async fn update(&self, project: &str, id: &str, change: Change) -> Result<Record, Error> {
        let (project, id) = (check::project(project)?, check::id(id)?);
        self.run(move |db| write::update(db, &project, &id, &change))
            .await
    }

    /// Changes the tags of a memory.
    ///
    /// # Errors
    ///
    /// As [`Store::update`].
    pub async fn retag(&self, project: &str, id: &str, retag: Retag) -> Result<Record, Error> {
        let (project, id) = (check::project(project)?, check::id(id)?);
        self.run(move |db| write::retag(db, &project, &id, &retag))
            .await
    }

    /// Deletes a memory and returns what it was; one that it superseded is found again.
    ///
    /// # Errors
    ///
    /// When the id is unknown or the database fails.
    pub async fn delete(&self, project: &str, id: &str) -> Result<Record, Error> {
        let (project, id) = (check::project(project)?, check::id(id)?);
        self.run(move |db| write::delete(db, &project, &id)).await
    }

    /// Deletes all that was learned in a conversation, and returns how many memories that was.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn forget(&self, conversation: &str) -> Result<usize, Error> {
        let conversation = check::conversation(conversation)?;
        self.run(move |db| write::forget(db, &conversation)).await
    }

    /// The tags of a project, the most used first.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn topics(&self, project: &str) -> Result<Topics, Error> {
        let project = check::project(project)?;
        self.run(move |db| search::topics(db, &project)).await
    }

    /// The projects that have memories.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn projects(&self) -> Result<Vec<String>, Error> {
        self.run(search::projects).await
    }

    /// Writes memories as JSON lines, oldest first, and returns how many.
    ///
    /// # Errors
    ///
    /// When the database or the writer fails.
    pub async fn export<W>(&self, project: Option<String>, out: W) -> Result<u64, Error>
    where
        W: Write + Send + 'static,
    {
        self.run(move |db| jsonl::export(db, project.as_deref(), out))
            .await
    }

    /// Reads JSON lines in one transaction; a memory whose id is known is left as it is.
    ///
    /// Lines without a project, as other programs write them, go into `project`.
    ///
    /// # Errors
    ///
    /// When a line cannot be used (the text has its number), the reader or the database fails;
    /// nothing is imported then.
    pub async fn import<R>(&self, project: Option<String>, lines: R) -> Result<Imported, Error>
    where
        R: BufRead + Send + 'static,
    {
        self.run(move |db| jsonl::import(db, project.as_deref(), lines))
            .await
    }

    /// Runs blocking work on a connection, away from the async threads; it is finished even if the caller goes away.
    async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(Db<'_>) -> Result<T, Error> + Send + 'static,
    {
        let outcome = match &*self.backend {
            Backend::Sqlite(file) => file.run(work).await,
            #[cfg(feature = "postgres")]
            Backend::Postgres(server) => server.run(work).await,
            Backend::Unusable(what, help) => Err(Error::refused(what, help)),
        };
        if let Err(error) = &outcome
            && error.trouble().is_some()
        {
            tracing::warn!(%error);
        }
        outcome
    }
}

impl Backend {
    fn of(database: &Path, options: &Options) -> Self {
        if !is_url(database) {
            return Self::Sqlite(connect::File::new(database, options.clone()));
        }
        #[cfg(feature = "postgres")]
        match postgres::Server::new(&database.to_string_lossy(), options) {
            Ok(server) => Self::Postgres(Arc::new(server)),
            Err(Error::Refused { what, help }) => Self::Unusable(what, help),
            Err(other) => Self::Unusable(other.to_string(), "restart memory-server".to_owned()),
        }
        #[cfg(not(feature = "postgres"))]
        Self::Unusable(
            "this memory-server was built without PostgreSQL".to_owned(),
            "build it with `--features postgres`, or name a file with `--database`".to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_read_only_database_is_named_and_the_store_lives_on() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("m.db"), Options::default()).unwrap();
        let query_only = |on: bool| {
            store.run(move |db| match db {
                Db::Sqlite(db) => Ok(db.pragma_update(None, "query_only", on)?),
                #[cfg(feature = "postgres")]
                Db::Postgres(_) => panic!("it is a file"),
            })
        };

        query_only(true).await.unwrap();
        let refused = store.store("p", Draft::new("kept?")).await.unwrap_err();
        assert_eq!(refused.trouble(), Some(Trouble::ReadOnly));
        assert!(refused.to_string().contains("m.db` cannot be written"));
        assert_eq!(store.status().await.unwrap().memories, 0);

        query_only(false).await.unwrap();
        store.store("p", Draft::new("kept!")).await.unwrap();
    }

    #[tokio::test]
    async fn a_panic_in_the_work_is_an_error_and_the_store_lives_on() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("m.db"), Options::default()).unwrap();
        let lost = store
            .run(|_| -> Result<(), Error> { panic!("a bug") })
            .await;
        assert_eq!(lost.unwrap_err().trouble(), Some(Trouble::Other));
        store.store("p", Draft::new("kept!")).await.unwrap();
    }
}
