//! The retention of receipts: how long, and how many.

use std::time::Duration;

use rusqlite::{Connection, ToSql, TransactionBehavior, params};

use super::{HookStore, HookStoreError, layout, now};

/// The maximum number of rows that one transaction deletes, so that a hook does not wait for long.
const BATCH: usize = 500;

/// How long to keep receipts, and how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Retention {
    /// The maximum age.
    pub age: Duration,
    /// The maximum number of firings.
    pub rows: usize,
}

impl Default for Retention {
    /// 90 days, and 100,000 firings.
    fn default() -> Retention {
        Retention {
            age: Duration::from_secs(90 * 24 * 60 * 60),
            rows: 100_000,
        }
    }
}

impl Retention {
    /// Sets the maximum age, and the maximum number of firings.
    pub fn new(age: Duration, rows: usize) -> Retention {
        Retention { age, rows }
    }
}

/// The numbers of deleted rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pruned {
    /// Firings.
    pub firings: usize,
    /// Marks of sessions.
    pub marks: usize,
}

impl HookStore {
    /// Deletes the receipts beyond the retention, the oldest first, and writes the log back into the file.
    ///
    /// This can take long: call it from the running server, not from a hook's process.
    ///
    /// # Errors
    ///
    /// The file cannot be used. Rows that were deleted before stay deleted.
    pub fn prune(&self, retention: Retention) -> Result<Pruned, HookStoreError> {
        // Does not create a missing file.
        let Some(path) = self.path().filter(|path| path.exists()) else {
            return Ok(Pruned::default());
        };
        let mut connection = self.connect()?;
        prune(&mut connection, retention).map_err(|error| HookStoreError::of(path, error))
    }
}

fn prune(connection: &mut Connection, retention: Retention) -> rusqlite::Result<Pruned> {
    let age = i64::try_from(retention.age.as_millis()).unwrap_or(i64::MAX);
    let oldest = now().saturating_sub(age);
    let pruned = Pruned {
        firings: firings(connection, oldest, retention.rows)?,
        marks: delete(connection, "mark", "name", oldest)?,
    };
    layout::empty_log(connection)?;
    Ok(pruned)
}

fn firings(connection: &mut Connection, oldest: i64, rows: usize) -> rusqlite::Result<usize> {
    let newest_of_the_rest: Option<i64> = connection.query_row(
        "SELECT (SELECT at FROM firing ORDER BY at DESC LIMIT 1 OFFSET ?1)",
        params![i64::try_from(rows).unwrap_or(i64::MAX)],
        |row| row.get(0),
    )?;
    let oldest = newest_of_the_rest.map_or(oldest, |at| oldest.max(at.saturating_add(1)));
    delete(connection, "firing", "n", oldest)
}

/// Deletes the rows before `oldest`. Finds them before it locks the file for writing.
fn delete(
    connection: &mut Connection,
    table: &str,
    second: &str,
    oldest: i64,
) -> rusqlite::Result<usize> {
    let found: Vec<(String, rusqlite::types::Value)> = connection
        .prepare(&format!(
            "SELECT session, {second} FROM {table} WHERE at < ?1"
        ))?
        .query_map([oldest], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    let mut deleted = 0;
    for batch in found.chunks(BATCH) {
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut statement = transaction.prepare_cached(&format!(
                "DELETE FROM {table} WHERE session = ?1 AND {second} = ?2 AND at < ?3"
            ))?;
            for (session, second) in batch {
                let key: [&dyn ToSql; 3] = [session, second, &oldest];
                deleted += statement.execute(key)?;
            }
        }
        transaction.commit()?;
    }
    Ok(deleted)
}
