//! The sessions that this process has served lately, and their handshakes.

use std::{collections::HashMap, sync::Mutex, time::Duration};

use tokio::time::Instant;

use super::count::Count;
use crate::http::Principal;
use hooks_core::{internal::lock, store::Bytes};

/// The most sessions whose handshake this process remembers.
const MOST_SESSIONS: usize = 100_000;

/// The most bytes of handshakes that this process remembers. Beyond that it remembers a session without its handshake.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// When a session that was not used is forgotten here: rmcp drops it after 5 minutes.
const UNUSED: Duration = Duration::from_secs(600);
const SWEEP_EVERY: Duration = Duration::from_secs(60);

static FORGOTTEN: Count =
    Count::of("this process remembers too many sessions; a session was forgotten");

/// The sessions that this process has served lately.
#[derive(Default)]
pub(super) struct ServedSessions(Mutex<KnownSessions>);

#[derive(Default)]
struct KnownSessions {
    by_id: HashMap<String, KnownSession>,
    /// The bytes of all handshakes.
    bytes: usize,
    swept: Option<Instant>,
}

struct KnownSession {
    principal: Option<Principal>,
    /// The session's value in the store, unless it is too large or this process remembers too many.
    bytes: Option<Bytes>,
    checked: Instant,
}

impl ServedSessions {
    /// Returns the principal of a session, and when its entry was last read.
    pub(super) fn checked(&self, session: &str) -> Option<(Option<Principal>, Instant)> {
        let sessions = lock(&self.0);
        let known = sessions.by_id.get(session)?;
        Some((known.principal.clone(), known.checked))
    }

    pub(super) fn set_checked(&self, session: &str) {
        if let Some(known) = lock(&self.0).by_id.get_mut(session) {
            known.checked = Instant::now();
        }
    }

    pub(super) fn remember(
        &self,
        session: &str,
        principal: Option<&Principal>,
        bytes: Option<Bytes>,
    ) {
        let now = Instant::now();
        let mut sessions = lock(&self.0);
        let is_due = sessions.swept.is_none_or(|at| now - at >= SWEEP_EVERY);
        let is_new = !sessions.by_id.contains_key(session);
        if is_due {
            sessions.sweep(now);
        }
        if is_new && sessions.by_id.len() >= MOST_SESSIONS {
            if let Some(any) = sessions.by_id.keys().next().cloned() {
                sessions.forget(&any);
            }
            FORGOTTEN.add();
        }
        sessions.forget(session);
        let bytes = bytes.filter(|bytes| sessions.bytes + bytes.as_slice().len() <= MOST_BYTES);
        let known = KnownSession {
            // Its claims are those of one token, and may be long.
            principal: principal.map(Principal::without_claims),
            bytes,
            checked: now,
        };
        sessions.bytes += known.weight();
        sessions.by_id.insert(session.to_owned(), known);
    }

    pub(super) fn forget(&self, session: &str) {
        lock(&self.0).forget(session);
    }

    pub(super) fn bytes(&self, session: &str) -> Option<Bytes> {
        lock(&self.0).by_id.get(session)?.bytes.clone()
    }
}

impl KnownSession {
    fn weight(&self) -> usize {
        self.bytes
            .as_ref()
            .map_or(0, |bytes| bytes.as_slice().len())
    }
}

impl KnownSessions {
    fn forget(&mut self, session: &str) {
        if let Some(known) = self.by_id.remove(session) {
            self.bytes -= known.weight();
        }
    }

    /// Forgets the sessions that were not used lately.
    fn sweep(&mut self, now: Instant) {
        let bytes = &mut self.bytes;
        self.by_id.retain(|_, known| {
            let stays = now - known.checked < UNUSED;
            if !stays {
                *bytes -= known.weight();
            }
            stays
        });
        self.swept = Some(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn handshakes_are_bounded_in_bytes() {
        let served = ServedSessions::default();
        let large = Bytes::from(&vec![0; MOST_BYTES / 4][..]);
        for session in 0..5 {
            served.remember(&session.to_string(), None, Some(large.clone()));
        }
        assert!(served.bytes("3").is_some() && served.bytes("4").is_none());
        assert!(served.checked("4").is_some(), "the session itself is known");
        served.remember("0", None, Some(large.clone()));
        assert!(
            served.bytes("0").is_some(),
            "a session that is remembered again has its place"
        );
        served.forget("0");
        served.remember("4", None, Some(large));
        assert!(served.bytes("4").is_some());
        assert_eq!(lock(&served.0).bytes, MOST_BYTES);
    }
}
