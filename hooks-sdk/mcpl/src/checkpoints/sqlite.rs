//! Checkpoints in a SQLite file, for servers that restart and for processes that share a machine.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use super::tree::{Barrier, Checkpoint, Limits, Tree, Trouble};
use hooks_core::internal::sqlite;

/// The version of the layout below.
const LAYOUT: i64 = 1;

/// The version of the layout has its own table, since the file may hold foreign tables.
///
/// The state is the last column, so that the columns before it can be read without it.
const TABLES: &str = "
    CREATE TABLE mcpl_layout (layout INTEGER NOT NULL) STRICT;
    CREATE TABLE mcpl_checkpoint (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        tree TEXT NOT NULL, id TEXT NOT NULL, parent TEXT, told INTEGER NOT NULL, barrier TEXT, reason TEXT,
        size INTEGER NOT NULL, state TEXT NOT NULL,
        UNIQUE (tree, id)
    ) STRICT;
    CREATE INDEX mcpl_checkpoint_by_age ON mcpl_checkpoint (tree, number, size);
    CREATE TABLE mcpl_head (tree TEXT PRIMARY KEY, checkpoint TEXT NOT NULL) STRICT, WITHOUT ROWID;
";

/// Opens the file, and creates the missing tables.
pub(super) fn open(path: &Path) -> Result<Connection, Trouble> {
    let of_path = |error: rusqlite::Error| format!("`{}`: {error}", path.display());
    let (connection, layout) = prepare(path).map_err(of_path)?;
    if layout != LAYOUT {
        let path = path.display();
        return Err(format!(
            "`{path}` keeps checkpoints in layout {layout}, and this program knows {LAYOUT}; use another file"
        )
        .into());
    }
    Ok(connection)
}

fn prepare(path: &Path) -> rusqlite::Result<(Connection, i64)> {
    let mut connection = sqlite::connect(path)?;
    // Two processes may do this at the same time. The first to begin writes; the second finds the tables.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read from the file: the connection's own view of its tables may be out of date.
    let there = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'mcpl_layout'";
    if transaction.query_row(there, [], |row| row.get::<_, i64>(0))? == 0 {
        transaction.execute_batch(TABLES)?;
        transaction.execute("INSERT INTO mcpl_layout VALUES (?1)", [LAYOUT])?;
    }
    let layout = transaction.query_row("SELECT layout FROM mcpl_layout", [], |row| row.get(0))?;
    transaction.commit()?;
    Ok((connection, layout))
}

/// Runs `work` with the tree called `name`, in one transaction.
pub(super) fn work<T>(
    connection: &mut Connection,
    name: &str,
    writes: bool,
    work: impl FnOnce(&mut dyn Tree) -> Result<T, Trouble>,
) -> Result<T, Trouble> {
    let behavior = if writes {
        TransactionBehavior::Immediate
    } else {
        TransactionBehavior::Deferred
    };
    let transaction = connection.transaction_with_behavior(behavior)?;
    let mut rows = Rows { transaction, name };
    let done = work(&mut rows)?;
    rows.transaction.commit()?;
    Ok(done)
}

struct Rows<'c> {
    transaction: Transaction<'c>,
    name: &'c str,
}

impl Rows<'_> {
    fn one(&self, which: &str, with: &str) -> Result<Option<Checkpoint>, Trouble> {
        let select = format!(
            "SELECT id, parent, told, barrier, reason, state FROM mcpl_checkpoint
             WHERE tree = ?1 AND {which} ORDER BY number DESC LIMIT 1"
        );
        let mut statement = self.transaction.prepare_cached(&select)?;
        let found = statement.query_row(params![self.name, with], checkpoint);
        Ok(found.optional()?)
    }
}

impl Tree for Rows<'_> {
    fn head(&mut self) -> Result<Option<Checkpoint>, Trouble> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT checkpoint FROM mcpl_head WHERE tree = ?1")?;
        let head: Option<String> = statement
            .query_row([self.name], |row| row.get(0))
            .optional()?;
        head.map_or(Ok(None), |head| self.one("id = ?2", &head))
    }

    fn find(&mut self, id: &str) -> Result<Option<Checkpoint>, Trouble> {
        self.one("id = ?2", id)
    }

    fn with_state(&mut self, state: &str) -> Result<Option<Checkpoint>, Trouble> {
        self.one("told AND size = octet_length(?2) AND state = ?2", state)
    }

    fn add(&mut self, checkpoint: Checkpoint, limits: Limits) -> Result<(), Trouble> {
        let barrier = checkpoint.barrier.as_ref();
        self.transaction
            .prepare_cached(
                "INSERT INTO mcpl_checkpoint (tree, id, parent, told, barrier, reason, size, state)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, octet_length(?7), ?7)",
            )?
            .execute(params![
                self.name,
                &*checkpoint.id,
                checkpoint.parent.as_deref(),
                checkpoint.told,
                barrier.map(|barrier| &*barrier.checkpoint),
                barrier.map(|barrier| &*barrier.reason),
                &*checkpoint.state,
            ])?;
        self.move_head(&checkpoint.id)?;
        let most = |limit: usize| i64::try_from(limit).unwrap_or(i64::MAX);
        self.transaction
            .prepare_cached(
                "DELETE FROM mcpl_checkpoint WHERE number IN (
                     SELECT number FROM (
                         SELECT number, row_number() OVER newer AS nth, sum(size) OVER newer AS total
                         FROM mcpl_checkpoint WHERE tree = ?1 WINDOW newer AS (ORDER BY number DESC)
                     ) WHERE nth > 1 AND (nth > ?2 OR total > ?3)
                 )",
            )?
            .execute(params![self.name, most(limits.keep), most(limits.total)])?;
        Ok(())
    }

    fn move_head(&mut self, id: &str) -> Result<(), Trouble> {
        self.transaction
            .prepare_cached(
                "INSERT INTO mcpl_head VALUES (?1, ?2) ON CONFLICT (tree) DO UPDATE SET checkpoint = ?2",
            )?
            .execute(params![self.name, id])?;
        Ok(())
    }
}

fn checkpoint(row: &Row<'_>) -> rusqlite::Result<Checkpoint> {
    let barrier = match (row.get(3)?, row.get(4)?) {
        (Some(checkpoint), Some(reason)) => Some(Barrier { checkpoint, reason }),
        _ => None,
    };
    Ok(Checkpoint {
        id: row.get(0)?,
        parent: row.get(1)?,
        told: row.get(2)?,
        barrier,
        state: row.get(5)?,
    })
}
