//! Texts that wait for the client's next event, because the client takes none at their own.

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use super::{HookStore, HookStoreError, layout::LONGEST_LOG, now, receipt::bounded};

/// The maximum number of texts that wait in a session.
const MOST: usize = 16;

/// The maximum length of one text, in bytes.
const LONGEST: usize = 40_000;

/// How long a text waits: a day.
const WAITS: i64 = 24 * 60 * 60 * 1000;

/// The table comes with the first text: most clients need none.
const CREATE: &str = "
    CREATE TABLE IF NOT EXISTS waiting (
        session TEXT NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, hooks TEXT NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (session, n)
    ) STRICT, WITHOUT ROWID;
";

/// A text that waits for the client's next event.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WaitingText {
    /// The client's own id of the session.
    pub session: String,
    /// The ids of the text's hooks.
    pub hooks: Vec<String>,
    /// When the hooks fired, in milliseconds since 1970, as in their receipts.
    pub at: i64,
    /// The text for the agent.
    pub text: String,
}

impl WaitingText {
    /// Makes a text of hooks that fired at this time, in milliseconds since 1970.
    pub fn new(
        session: impl Into<String>,
        hooks: impl IntoIterator<Item = String>,
        at: i64,
        text: impl Into<String>,
    ) -> WaitingText {
        WaitingText {
            session: session.into(),
            hooks: hooks.into_iter().collect(),
            at,
            text: text.into(),
        }
    }
}

impl HookStore {
    /// Keeps texts for the next event of their session. Returns how many are not kept.
    ///
    /// A session keeps at most 16 texts of at most 40,000 bytes, each once and for a day. A text without a session, or
    /// for a store without a file, is not kept. The receipts of its hooks say that it was not sent, until
    /// [`take_waiting`](HookStore::take_waiting) returns it.
    ///
    /// # Errors
    ///
    /// The file cannot be used; nothing is then kept.
    pub fn keep_for_next(&self, texts: &[WaitingText]) -> Result<usize, HookStoreError> {
        self.write(texts.len(), LONGEST_LOG, |transaction| {
            transaction.execute_batch(CREATE)?;
            transaction.execute("DELETE FROM waiting WHERE at < ?1", [now() - WAITS])?;
            let mut lost = 0;
            for text in texts {
                lost += usize::from(!self.keep(transaction, text)?);
            }
            Ok(lost)
        })
    }

    fn keep(&self, transaction: &Transaction<'_>, text: &WaitingText) -> rusqlite::Result<bool> {
        if text.session.is_empty() || text.text.is_empty() || text.text.len() > LONGEST {
            return Ok(false);
        }
        let session = self.session(&text.session);
        let hooks: Vec<_> = text.hooks.iter().map(|hook| bounded(hook)).collect();
        let hooks = serde_json::Value::from(hooks).to_string();
        let (many, same): (usize, bool) = transaction.query_row(
            "SELECT count(*), ifnull(max(text = ?2), 0) FROM waiting WHERE session = ?1",
            params![session, text.text],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        if same || many >= MOST {
            return Ok(same);
        }
        transaction.execute(
            "INSERT INTO waiting VALUES (
                 ?1, (SELECT ifnull(max(n), 0) + 1 FROM waiting WHERE session = ?1), ?2, ?3, ?4)",
            params![session, text.at, hooks, text.text],
        )?;
        Ok(true)
    }

    /// Returns whether a text waits in a session. Does not create a missing file.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn has_waiting(&self, session: &str) -> Result<bool, HookStoreError> {
        if session.is_empty() || !self.path().is_some_and(std::path::Path::exists) {
            return Ok(false);
        }
        let session = self.session(session);
        self.run(false, |connection| {
            if !is_there(connection)? {
                return Ok(false);
            }
            connection
                .prepare_cached("SELECT 1 FROM waiting WHERE session = ?1 AND at >= ?2")?
                .query_row(params![session, now() - WAITS], |_| Ok(()))
                .optional()
                .map(|found| found.is_some())
        })
    }

    /// Takes the texts that wait in a session, the oldest first, up to the first one that does not fit. Of all processes,
    /// one receives a text, and its hooks' receipts say from then on that it was sent.
    ///
    /// # Errors
    ///
    /// The file cannot be used; nothing is then taken.
    pub fn take_waiting(
        &self,
        session: &str,
        mut fits: impl FnMut(&str) -> bool,
    ) -> Result<Vec<String>, HookStoreError> {
        if !self.has_waiting(session)? {
            return Ok(Vec::new());
        }
        let session = self.session(session);
        self.write(Vec::new(), LONGEST_LOG, |transaction| {
            let mut found = transaction.prepare_cached(
                "SELECT n, at, hooks, text FROM waiting WHERE session = ?1 AND at >= ?2 ORDER BY n",
            )?;
            let mut rows = found.query(params![session, now() - WAITS])?;
            let mut taken = Vec::new();
            while let Some(row) = rows.next()? {
                let (n, at, hooks): (i64, i64, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
                let text: String = row.get(3)?;
                if !fits(&text) {
                    break;
                }
                transaction.execute(
                    "DELETE FROM waiting WHERE session = ?1 AND n = ?2",
                    params![session, n],
                )?;
                transaction.execute(
                    "UPDATE firing SET delivered = 1
                     WHERE session = ?1 AND at = ?2 AND hook IN (SELECT value FROM json_each(?3))",
                    params![session, at, hooks],
                )?;
                taken.push(text);
            }
            Ok(taken)
        })
    }
}

fn is_there(connection: &Connection) -> rusqlite::Result<bool> {
    connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE name = 'waiting'")?
        .query_row([], |_| Ok(()))
        .optional()
        .map(|found| found.is_some())
}

/// Deletes the texts that have waited too long.
pub(super) fn prune(connection: &Connection) -> rusqlite::Result<()> {
    if is_there(connection)? {
        connection.execute("DELETE FROM waiting WHERE at < ?1", [now() - WAITS])?;
    }
    Ok(())
}
