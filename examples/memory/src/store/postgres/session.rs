//! A connection to PostgreSQL as the store's rules use it: one statement after the other, on a blocking thread.

use std::{cell::Cell, pin::pin, time::Duration};

use deadpool_postgres::Object;
use futures::StreamExt;
use tokio::{runtime::Handle, time::timeout};
use tokio_postgres::{Row, types::ToSql};

use crate::store::{
    database::Value,
    error::{Error, Trouble},
};

/// The longest time that one statement may take to answer, or to send its next row.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// One connection, for the time of one call.
pub(in crate::store) struct Session {
    client: Object,
    runtime: Handle,
    /// Whether the connection may be in the middle of something.
    spoiled: Cell<bool>,
}

impl Session {
    pub(super) fn new(client: Object, runtime: Handle) -> Self {
        Self {
            client,
            runtime,
            spoiled: Cell::default(),
        }
    }

    /// Gives the connection back, unless nobody else should have it.
    pub(super) fn end(self) {
        if self.spoiled.get() {
            drop(Object::take(self.client));
        }
    }

    fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, Error> {
        let within = async { timeout(LONGEST_WAIT, work).await };
        match self.runtime.block_on(within) {
            Ok(outcome) => Ok(outcome?),
            Err(late) => {
                self.spoiled.set(true);
                Err(Error::caused(Trouble::Unreachable, late))
            }
        }
    }

    pub(in crate::store) fn execute(
        &self,
        sql: &str,
        values: &[&dyn Value],
    ) -> Result<usize, Error> {
        let statement = self.wait(self.client.prepare_cached(&numbered(sql)))?;
        let done = self.wait(self.client.execute_raw(&statement, own(values)))?;
        Ok(usize::try_from(done).unwrap_or(usize::MAX))
    }

    pub(in crate::store) fn each(
        &self,
        sql: &str,
        values: &[&dyn Value],
        mut see: impl FnMut(&Row) -> Result<bool, Error>,
    ) -> Result<(), Error> {
        let statement = self.wait(self.client.prepare_cached(&numbered(sql)))?;
        let rows = self.wait(self.client.query_raw(&statement, own(values)))?;
        let mut rows = pin!(rows);
        while let Some(row) = self.wait(async { rows.next().await.transpose() })? {
            if !see(&row)? {
                break;
            }
        }
        Ok(())
    }

    /// Begins to write, as the only one: what it reads stays so until it is done.
    pub(in crate::store) fn begin(&self) -> Result<Transaction<'_>, Error> {
        let transaction = Transaction {
            session: self,
            is_open: true,
        };
        let lock = format!("BEGIN; SELECT pg_advisory_xact_lock({})", super::LOCK);
        self.wait(self.client.batch_execute(&lock))?;
        Ok(transaction)
    }
}

/// Writes that are made together at the commit, or not at all.
pub(in crate::store) struct Transaction<'c> {
    session: &'c Session,
    is_open: bool,
}

impl Transaction<'_> {
    pub(in crate::store) fn session(&self) -> &Session {
        self.session
    }

    pub(in crate::store) fn commit(mut self) -> Result<(), Error> {
        self.session
            .wait(self.session.client.batch_execute("COMMIT"))?;
        self.is_open = false;
        Ok(())
    }
}

impl Drop for Transaction<'_> {
    fn drop(&mut self) {
        if self.is_open && !self.session.spoiled.get() {
            let undone = self
                .session
                .wait(self.session.client.batch_execute("ROLLBACK"));
            if undone.is_err() {
                self.session.spoiled.set(true);
            }
        }
    }
}

/// PostgreSQL numbers the values of a statement `$1`, `$2` ….
fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

fn own<'v>(values: &[&'v dyn Value]) -> Vec<&'v dyn ToSql> {
    values.iter().map(|value| *value as _).collect()
}
