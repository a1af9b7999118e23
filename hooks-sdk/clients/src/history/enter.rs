//! The recording of firings, and their reading for cool-downs.

use rusqlite::{Transaction, params};

use super::{
    DeliveryReceipt, FiringReceipt, HookStore, HookStoreError, layout::LONGEST_LOG, now,
    receipt::bounded,
};

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
                let session = self.session(&firing.session);
                if self.receipts {
                    enter(transaction, &session, firing)?;
                } else if firing.delivered && !session.is_empty() {
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

    fn fired(
        &self,
        session: &str,
        query: &str,
        since: i64,
    ) -> Result<Vec<DeliveryReceipt>, HookStoreError> {
        if session.is_empty() {
            return Ok(Vec::new());
        }
        let session = self.session(session);
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
                 ?1, (SELECT ifnull(max(n), 0) + 1 FROM firing WHERE session = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            session,
            bounded(&firing.hook),
            bounded(&firing.client),
            bounded(&firing.event),
            firing.at,
            i64::try_from(firing.characters).unwrap_or(i64::MAX),
            firing.delivered,
            firing.content,
        ])
        .map(drop)
}
