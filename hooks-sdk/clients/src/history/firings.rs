//! The firings: the store records each one, and a new host reads the earlier ones at each event.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Instant,
};

use rusqlite::{Transaction, params};

use super::{
    DeliveryReceipt, FiringReceipt, HookStore, HookStoreError, layout::LONGEST_LOG, now,
    receipt::bounded,
};
use hooks_core::lifecycle::host::LifecycleHost;

/// The time of a hook's firing without receipts: only what a cool-down needs.
const LAST: &str = "fired ";

impl HookStore {
    /// Records the firings of one event, all or none.
    ///
    /// # Errors
    ///
    /// The file cannot be used; nothing is then recorded.
    pub fn record_firings(&self, firings: &[FiringReceipt]) -> Result<(), HookStoreError> {
        if firings.is_empty() {
            return Ok(());
        }
        self.write((), LONGEST_LOG, |transaction| {
            for firing in firings {
                let session = bounded(&firing.session);
                if self.receipts {
                    enter(transaction, &session, firing)?;
                } else if !session.is_empty() {
                    let name = format!("{LAST}{}", bounded(&firing.hook));
                    transaction
                        .prepare_cached(
                            "INSERT INTO mark VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET at = ?3",
                        )?
                        .execute(params![session, name, firing.at])?;
                }
            }
            Ok(())
        })
    }

    /// Returns the last time each hook's text was sent in a session, the latest first.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn last_firings(&self, session: &str) -> Result<Vec<DeliveryReceipt>, HookStoreError> {
        self.fired(
            session,
            "SELECT hook, max(at) FROM (
                 SELECT hook, at FROM firing WHERE session = ?1 AND delivered
                 UNION ALL
                 SELECT substr(name, 7), at FROM mark WHERE session = ?1 AND name >= 'fired ' AND name < 'fired!'
             ) WHERE at <= ?2 AND at >= ?3 GROUP BY hook ORDER BY max(at) DESC",
            i64::MIN,
        )
    }

    /// Returns each text that was sent in a session since this time, in milliseconds since 1970, the latest first, for
    /// cool-downs and a rate limit. Reads at most the last thousand firings of a session.
    ///
    /// Leaves out firings after now, which a clock that was set back can cause.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn recent_firings(
        &self,
        session: &str,
        since: i64,
    ) -> Result<Vec<DeliveryReceipt>, HookStoreError> {
        self.fired(
            session,
            "SELECT hook, at FROM firing
             WHERE session = ?1 AND n > (SELECT max(n) FROM firing WHERE session = ?1) - 1000
                 AND delivered AND at <= ?2 AND at >= ?3
             UNION ALL
             SELECT substr(name, 7), at FROM mark
             WHERE session = ?1 AND name >= 'fired ' AND name < 'fired!' AND at <= ?2 AND at >= ?3
             ORDER BY 2 DESC LIMIT 1000",
            since,
        )
    }

    /// Returns the events at which hooks fired in a client, each with the last time, in milliseconds since 1970.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn last_at_events(&self, client: &str) -> Result<Vec<(String, i64)>, HookStoreError> {
        // Does not create a missing file.
        let Some(path) = self.path().filter(|path| path.exists()) else {
            return Ok(Vec::new());
        };
        let read = |connection: &rusqlite::Connection| {
            let sql = "SELECT event, max(at) FROM firing WHERE client = ?1 GROUP BY event";
            let mut found = connection.prepare(sql)?;
            let rows = found.query_map([client], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<Result<Vec<_>, _>>()
        };
        read(&self.connect()?).map_err(|error| HookStoreError::of(path, error))
    }

    /// Passes the earlier firings of a session to the host, so that the policy's cool-down and rate limit apply across
    /// processes.
    ///
    /// `hooks` has the ids of the hooks of each declaration of `server`, in order. Firings of other hooks of the session
    /// count for the rate limit. Without receipts, only the last firing of each hook is known.
    ///
    /// # Errors
    ///
    /// The file cannot be used; the host then knows no firing.
    pub fn recall(
        &self,
        session: &str,
        host: &LifecycleHost,
        server: &str,
        hooks: &[&[String]],
    ) -> Result<(), HookStoreError> {
        let policy = host.controls();
        let (time, instant) = (now(), Instant::now());
        let longest = policy.cool_down.max(policy.rate.window);
        let longest = i64::try_from(longest.as_millis()).unwrap_or(i64::MAX);
        let mut past = self.recent_firings(session, time.saturating_sub(longest))?;
        if !policy.cool_down.is_zero() {
            // In a long session, these may be older than the firings that were read.
            let last = self.last_firings(session)?.into_iter();
            let older: Vec<_> = last.filter(|fired| !past.contains(fired)).collect();
            past.extend(older);
        }
        let mut times: BTreeMap<(&str, i64), usize> = BTreeMap::new();
        let mut entered = BTreeSet::new();
        for fired in &past {
            let of_it = |ids: &&[String]| ids.contains(&fired.hook);
            let index = hooks.iter().position(of_it).unwrap_or(hooks.len());
            // Hooks composed into one text share a time and count as one; a hook that fired twice counts as two.
            let time_of_it = times.entry((&fired.hook, fired.at)).or_default();
            *time_of_it += 1;
            if entered.insert((index, fired.at, *time_of_it)) {
                host.fired_before(server, index, fired.ago(time), instant);
            }
        }
        Ok(())
    }

    fn fired(
        &self,
        session: &str,
        query: &str,
        since: i64,
    ) -> Result<Vec<DeliveryReceipt>, HookStoreError> {
        if session.is_empty() {
            return Ok(Vec::new());
        }
        let session = bounded(session);
        self.run(Vec::new(), |connection| {
            connection
                .prepare_cached(query)?
                .query_map(params![session, now(), since], |row| {
                    Ok(DeliveryReceipt {
                        hook: row.get(0)?,
                        at: row.get(1)?,
                    })
                })?
                .collect()
        })
    }
}

fn enter(
    transaction: &Transaction<'_>,
    session: &str,
    firing: &FiringReceipt,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT INTO firing VALUES (
                 ?1, (SELECT ifnull(max(n), 0) + 1 FROM firing WHERE session = ?1), ?2, ?3, ?4, ?5, 0, 1, NULL)",
        )?
        .execute(params![
            session,
            bounded(&firing.hook),
            bounded(&firing.client),
            bounded(&firing.event),
            firing.at,
        ])
        .map(drop)
}
