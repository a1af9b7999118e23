//! The tables, and how an older database becomes the present one.

use rusqlite::{Connection, TransactionBehavior};

use super::error::{Error, Trouble};

/// "mems": tells our files from those of other programs.
const APPLICATION_ID: i64 = 0x6d65_6d73;

/// One script per version; a script that has been released is never edited.
const MIGRATIONS: [&str; 4] = [
    include_str!("schema_1.sql"),
    include_str!("schema_2.sql"),
    include_str!("schema_3.sql"),
    include_str!("schema_4.sql"),
];

/// The schema version this program writes.
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

pub(super) fn migrate(connection: &mut Connection) -> Result<(), Error> {
    if version(connection)? == VERSION && application(connection)? == APPLICATION_ID {
        return Ok(());
    }
    loop {
        // Read again inside the transaction: another process may be migrating the same file.
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found = version(&transaction)?;
        if application(&transaction)? != APPLICATION_ID && !is_empty(&transaction)? {
            return Err(Error::storage(Trouble::Foreign));
        }
        if found > VERSION {
            return Err(Error::storage(Trouble::TooNew));
        }
        let Some(script) = usize::try_from(found).ok().and_then(|v| MIGRATIONS.get(v)) else {
            return Ok(());
        };
        transaction.execute_batch(script)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", found + 1)?;
        transaction.commit()?;
    }
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn application(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

fn is_empty(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row(
        "SELECT NOT EXISTS (SELECT 1 FROM sqlite_master)",
        [],
        |row| row.get(0),
    )
}
