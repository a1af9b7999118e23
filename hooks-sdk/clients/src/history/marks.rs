//! Marks on a session: the texts that were sent once, and must not be sent again.

use rusqlite::{OptionalExtension, params};

use super::{
    HookStore, HookStoreError,
    layout::LONGEST_LOG,
    now,
    receipt::{bounded, digest},
};

/// The time in which the same bytes mean the same firing: a client's time-out for hooks.
const ONE_FIRING: i64 = 10_000;

impl HookStore {
    /// Returns whether a mark is set on a session.
    ///
    /// # Errors
    ///
    /// The file cannot be used.
    pub fn already_said(&self, session: &str, moment: &str) -> Result<bool, HookStoreError> {
        if session.is_empty() {
            return Ok(false);
        }
        let session = bounded(session);
        self.run(false, |connection| {
            connection
                .prepare_cached("SELECT 1 FROM mark WHERE session = ?1 AND name = ?2")?
                .query_row(params![session, mark(moment)], |_| Ok(()))
                .optional()
                .map(|found| found.is_some())
        })
    }

    /// Sets a mark on a session. Returns whether the mark was not set before.
    ///
    /// Of all processes and threads that set a mark, exactly one receives `true`, and sends the text. With an empty
    /// session, or a store without a file, every caller receives `true`.
    ///
    /// # Errors
    ///
    /// The file cannot be used; the mark is then not set.
    pub fn mark(&self, session: &str, moment: &str) -> Result<bool, HookStoreError> {
        if session.is_empty() {
            return Ok(true);
        }
        let session = bounded(session);
        self.run(true, |connection| {
            connection
                .prepare_cached("INSERT OR IGNORE INTO mark VALUES (?1, ?2, ?3)")?
                .execute(params![session, mark(moment), now()])
                .map(|set| set == 1)
        })
    }

    /// Claims a firing, so that one process answers it. Returns whether no other process has claimed it.
    ///
    /// If hooks are installed twice, for the user and in a project, the client starts a process for each with the same
    /// `firing`: the input, or what is the same in each. It names the call or the time; otherwise the claim expires after 10 s. With an empty session, or
    /// a store without a file, every caller receives `true`.
    ///
    /// # Errors
    ///
    /// The file cannot be used; nothing is then claimed.
    pub fn claim(&self, session: &str, event: &str, firing: &[u8]) -> Result<bool, HookStoreError> {
        if session.is_empty() {
            return Ok(true);
        }
        let session = bounded(session);
        let name = format!("once {event} {}", digest(firing));
        self.write(true, LONGEST_LOG, |transaction| {
            // Inside the lock, so that no claim of another process is later than this time.
            let time = now();
            transaction
                .prepare_cached(
                    "DELETE FROM mark WHERE session = ?1 AND name >= 'once ' AND name < 'once!'
                         AND at NOT BETWEEN ?2 AND ?3",
                )?
                .execute(params![session, time - ONE_FIRING, time])?;
            transaction
                .prepare_cached("INSERT OR IGNORE INTO mark VALUES (?1, ?2, ?3)")?
                .execute(params![session, name, time])
                .map(|set| set == 1)
        })
    }
}

/// Returns the stored name of a mark. Its prefix distinguishes marks from firings.
fn mark(moment: &str) -> String {
    format!("said {}", bounded(moment))
}
