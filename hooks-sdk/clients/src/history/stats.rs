//! The statistics of receipts: how often each hook fired, and whether it was followed.

use std::collections::BTreeMap;

use rusqlite::{Connection, params};
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
    /// How often it was followed; `None` for a hook that asks for no tool.
    pub followed: Option<Followed>,
}

/// How often a call of a tool that a hook asks for followed in the session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Followed {
    /// The tools. A call of any of them counts.
    pub tools: Vec<String>,
    /// The number of sent texts that such a call followed, successful or not.
    pub firings: u64,
    /// The number of sessions in which that happened.
    pub sessions: u64,
}

impl HookStore {
    /// Returns the statistics since this time, in milliseconds since 1970, by hook and client.
    ///
    /// `asks` has for each hook the tools that its text asks for. If a client does not send its session's id to the
    /// server, like Gemini CLI, calls are known only if the caller records those that the client reports.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn stats(
        &self,
        since: i64,
        asks: &BTreeMap<String, Vec<String>>,
    ) -> Result<Vec<HookStats>, HookStoreError> {
        // Does not create a missing file.
        let Some(path) = self.path().filter(|path| path.exists()) else {
            return Ok(Vec::new());
        };
        let connection = self.connect()?;
        stats(&connection, since, asks).map_err(|error| HookStoreError::of(path, error))
    }
}

fn stats(
    connection: &Connection,
    since: i64,
    asks: &BTreeMap<String, Vec<String>>,
) -> rusqlite::Result<Vec<HookStats>> {
    let mut all: Vec<HookStats> = connection
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
                followed: None,
            })
        })?
        .collect::<Result<_, _>>()?;
    for stats in &mut all {
        if let Some(tools) = asks.get(&stats.hook).filter(|tools| !tools.is_empty()) {
            stats.followed = Some(followed(connection, since, stats, tools)?);
        }
    }
    Ok(all)
}

/// A call counts for every earlier text of the session, so the last call decides.
fn followed(
    connection: &Connection,
    since: i64,
    stats: &HookStats,
    tools: &[String],
) -> rusqlite::Result<Followed> {
    let list = serde_json::Value::from(tools).to_string();
    connection
        .prepare_cached(
            "WITH last (session, at) AS MATERIALIZED (
                 SELECT session, max(at) FROM call
                 WHERE at >= ?1 AND tool IN (SELECT value FROM json_each(?4)) GROUP BY session
             )
             SELECT count(*), count(DISTINCT session) FROM firing JOIN last USING (session)
             WHERE hook = ?2 AND client = ?3 AND delivered AND firing.at >= ?1 AND last.at > firing.at",
        )?
        .query_row(params![since, stats.hook, stats.client, list], |row| {
            Ok(Followed {
                tools: tools.to_vec(),
                firings: count(row, 0)?,
                sessions: count(row, 1)?,
            })
        })
}

fn count(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<u64> {
    row.get::<_, i64>(at)
        .map(|count| u64::try_from(count).unwrap_or_default())
}
