//! The memories on disk: a SQLite file, every write in one transaction.

pub mod check;
mod connect;
mod database;
mod error;
mod everyday;
mod jsonl;
mod merge;
mod newest;
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
pub use error::{Error, Trouble};
pub use jsonl::Imported;
pub use query::{Query, Scope};
pub use record::{Change, Draft, Record, Retag, Similar, Stored};
pub use remind::Reminder;
pub use search::{Expanded, Found, Hit, Topic, Topics};
pub use status::Status;

/// The project of what is learned from turns: a host of MCPL names conversations, and no projects.
pub const CONVERSATIONS: &str = "conversations";

/// A handle on the database; clones share its connection.
#[derive(Clone, Debug)]
pub struct Store {
    file: Arc<connect::File>,
}

impl Store {
    /// Opens the database at a path, making the file and its folders when they are missing.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened, is locked or damaged, or was written by a newer or another
    /// program.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let mut file = connect::File::new(path.as_ref(), options);
        file.open()?;
        Ok(Self {
            file: Arc::new(file),
        })
    }

    /// Names the database; the first call opens it, and calls answer with an error until it opens.
    #[must_use]
    pub fn deferred(path: impl AsRef<Path>, options: Options) -> Self {
        let file = Arc::new(connect::File::new(path.as_ref(), options));
        Self { file }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.file.path()
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

    /// Runs blocking work on the connection, away from the async threads; it is finished even if the caller goes away.
    async fn run<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: FnOnce(Db<'_>) -> Result<T, Error> + Send + 'static,
    {
        self.file.run(work).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_read_only_database_is_named_and_the_store_lives_on() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("m.db"), Options::default()).unwrap();
        let query_only =
            |on: bool| store.run(move |db| Ok(db.0.pragma_update(None, "query_only", on)?));

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
