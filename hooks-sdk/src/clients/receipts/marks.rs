//! Marks on a session: what has been said in it, and is not to be said again.

use rusqlite::{OptionalExtension, params};

use super::{
    HookStore, HookStoreError,
    layout::LONGEST_LOG,
    now,
    receipt::{bounded, digest},
};

/// For how long the same input means the same firing: as long as a client waits for its hooks.
const ONE_FIRING: i64 = 10_000;

impl HookStore {
    /// Returns whether a mark is set on a session.
    ///
    /// # Errors
    ///
    /// That the file cannot be used.
    pub fn already_said(&self, session: &str, moment: &str) -> Result<bool, HookStoreError> {
        if session.is_empty() {
            return Ok(false);
        }
        let session = self.session(session);
        self.run(false, |connection| {
            connection
                .prepare_cached("SELECT 1 FROM mark WHERE session = ?1 AND name = ?2")?
                .query_row(params![session, mark(moment)], |_| Ok(()))
                .optional()
                .map(|found| found.is_some())
        })
    }

    /// Sets a mark on a session; whether it was not set before.
    ///
    /// Of all the processes and threads that set one mark, one is told `true`. That one says what is to be
    /// said once. An empty session, and a store that is off, tell everybody so.
    ///
    /// # Errors
    ///
    /// That the file cannot be used; then the mark is not set.
    pub fn mark(&self, session: &str, moment: &str) -> Result<bool, HookStoreError> {
        if session.is_empty() {
            return Ok(true);
        }
        let session = self.session(session);
        self.run(true, |connection| {
            connection
                .prepare_cached("INSERT OR IGNORE INTO mark VALUES (?1, ?2, ?3)")?
                .execute(params![session, mark(moment), now()])
                .map(|set| set == 1)
        })
    }

    /// Claims a firing, so that one process speaks at it; whether no other has claimed it.
    ///
    /// A client for which hooks are installed twice, for the user and in a project, starts a process for each with the
    /// same `input`. The input names the call or the time, or else the claim ends after 10 s. An empty session, and a
    /// store that is off, tell everybody so.
    ///
    /// # Errors
    ///
    /// That the file cannot be used; then nothing is claimed.
    pub fn claim(&self, session: &str, event: &str, input: &[u8]) -> Result<bool, HookStoreError> {
        if session.is_empty() {
            return Ok(true);
        }
        let session = self.session(session);
        let name = format!("once {event} {}", digest(input));
        let time = now();
        self.write(true, LONGEST_LOG, |transaction| {
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

    /// Takes a mark off a session, as when what it stands for could not be said after all, or when the client
    /// has cleared the agent's context.
    ///
    /// # Errors
    ///
    /// That the file cannot be used; then the mark stays.
    pub fn unmark(&self, session: &str, moment: &str) -> Result<(), HookStoreError> {
        let session = self.session(session);
        self.run((), |connection| {
            connection
                .prepare_cached("DELETE FROM mark WHERE session = ?1 AND name = ?2")?
                .execute(params![session, mark(moment)])
                .map(drop)
        })
    }
}

/// Marks have a prefix of their own, so that none is taken for a firing.
fn mark(moment: &str) -> String {
    format!("said {}", bounded(moment))
}
