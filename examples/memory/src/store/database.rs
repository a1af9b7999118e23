//! Short ways to ask SQLite, whose statements number their values `?1`, `?2` ….

use rusqlite::{Connection, Row, ToSql, Transaction, TransactionBehavior};

use super::error::Error;

/// A connection, in a transaction or not. It prepares a statement once.
#[derive(Clone, Copy)]
pub(super) struct Db<'c>(pub(super) &'c Connection);

impl<'c> Db<'c> {
    /// Runs a statement, and returns how many rows it changed.
    pub(super) fn execute(self, sql: &str, values: &[&dyn ToSql]) -> Result<usize, Error> {
        Ok(self.0.prepare_cached(sql)?.execute(values)?)
    }

    pub(super) fn all<T>(
        self,
        sql: &str,
        values: &[&dyn ToSql],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let mut statement = self.0.prepare_cached(sql)?;
        statement.query_and_then(values, read)?.collect()
    }

    pub(super) fn first<T>(
        self,
        sql: &str,
        values: &[&dyn ToSql],
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Option<T>, Error> {
        let mut statement = self.0.prepare_cached(sql)?;
        let mut rows = statement.query_and_then(values, read)?;
        rows.next().transpose()
    }

    /// A number that the statement always finds.
    pub(super) fn number(self, sql: &str, values: &[&dyn ToSql]) -> Result<i64, Error> {
        let found = self.first(sql, values, |row| Ok(row.get(0)?))?;
        Ok(found.unwrap_or_default())
    }

    /// Begins to write. It takes the lock at once: a transaction that waits for it in the middle could not be retried.
    pub(super) fn begin(self) -> Result<Transaction<'c>, Error> {
        let behavior = TransactionBehavior::Immediate;
        Ok(Transaction::new_unchecked(self.0, behavior)?)
    }
}
