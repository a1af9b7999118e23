//! The statistics of receipts: how often each hook fired.

use rusqlite::Connection;
use serde::Serialize;

use super::{HookStore, HookStoreError};

/// The statistics of one hook in one client.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HookStats {
    /// The hook's id.
    pub hook: String,
    /// The client, such as `claude-code`.
    pub client: String,
    /// How often it fired.
    pub fired: u64,
    /// How often its text was sent to the client.
    pub delivered: u64,
    /// The number of sessions in which it fired, if the client names them.
    pub sessions: u64,
    /// The number of characters of all its texts.
    pub characters: u64,
    /// The time of its last firing, in milliseconds since 1970.
    pub last: i64,
}

impl HookStore {
    /// Returns the statistics since this time, in milliseconds since 1970, by hook and client.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn stats(&self, since: i64) -> Result<Vec<HookStats>, HookStoreError> {
        self.read(|connection| stats(connection, since))
    }

    /// Returns the events at which hooks fired in a client, each with the last time, in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn last_at_events(&self, client: &str) -> Result<Vec<(String, i64)>, HookStoreError> {
        let sql = "SELECT event, max(at) FROM firing WHERE client = ?1 GROUP BY event";
        self.read(|connection| {
            let mut found = connection.prepare(sql)?;
            let rows = found.query_map([client], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
    }

    fn read<T>(
        &self,
        rows: impl FnOnce(&Connection) -> rusqlite::Result<Vec<T>>,
    ) -> Result<Vec<T>, HookStoreError> {
        // Does not create a missing file.
        let Some(path) = self.path().filter(|path| path.exists()) else {
            return Ok(Vec::new());
        };
        rows(&self.connect()?).map_err(|error| HookStoreError::of(path, error))
    }
}

fn stats(connection: &Connection, since: i64) -> rusqlite::Result<Vec<HookStats>> {
    connection
        .prepare(
            "SELECT hook, client, count(*), total(delivered), count(DISTINCT nullif(session, '')),
                    total(characters * delivered), max(at)
             FROM firing WHERE at >= ?1 GROUP BY hook, client ORDER BY hook, client",
        )?
        .query_map([since], |row| {
            Ok(HookStats {
                hook: row.get(0)?,
                client: row.get(1)?,
                fired: count(row, 2)?,
                // `total` returns a float, which does not overflow.
                delivered: row.get::<_, f64>(3)? as u64,
                sessions: count(row, 4)?,
                characters: row.get::<_, f64>(5)? as u64,
                last: row.get(6)?,
            })
        })?
        .collect()
}

fn count(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(at)
        .map(|count| u64::try_from(count).unwrap_or_default())
}
