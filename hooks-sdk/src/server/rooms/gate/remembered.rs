//! What a connection remembers for guidance: what its agent was told, what it asked for, what reported progress.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
};

use rmcp::model::{LoggingLevel, ProgressToken};

use crate::server::lock::lock;

/// Something that is so from some time on.
#[derive(Debug, Default)]
pub(in crate::server) struct Flag(AtomicBool);

impl Flag {
    pub(in crate::server) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(in crate::server) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Whether it is set, which it is no more.
    pub(in crate::server) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

/// From which level on the client wants log messages.
#[derive(Debug, Default)]
pub(in crate::server) struct LogLevel(AtomicU8);

const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

impl LogLevel {
    pub(in crate::server) fn set(&self, level: LoggingLevel) {
        let at = LEVELS.iter().position(|each| *each == level);
        let at = at.map_or(0, |at| at as u8 + 1);
        self.0.store(at, Ordering::Relaxed);
    }

    /// The level; `None` when the client asked for no messages.
    pub(in crate::server) fn get(&self) -> Option<LoggingLevel> {
        let at = self.0.load(Ordering::Relaxed).checked_sub(1)?;
        LEVELS.get(usize::from(at)).copied()
    }
}

/// Whether a call has reported progress; it counts until its last copy is dropped.
#[derive(Clone, Debug)]
pub(in crate::server) struct Reported(Arc<Watched>);

#[derive(Debug)]
struct Watched {
    token: ProgressToken,
    reported: AtomicBool,
    among: Arc<Mutex<Tokens>>,
}

type Tokens = HashMap<ProgressToken, Weak<Watched>>;

/// The calls of a connection that may report progress.
#[derive(Debug, Default)]
pub(in crate::server) struct Progresses {
    tokens: Arc<Mutex<Tokens>>,
    unwatched: AtomicBool,
}

impl Progresses {
    pub(in crate::server) fn is_watching(&self) -> bool {
        !self.unwatched.load(Ordering::Relaxed)
    }

    /// Watches nothing any more: the server has no guidance.
    pub(in crate::server) fn stop(&self) {
        self.unwatched.store(true, Ordering::Relaxed);
    }

    /// Watches a call that may report progress under `token`; `None` when nobody asks.
    pub(in crate::server) fn watch(&self, token: ProgressToken) -> Option<Reported> {
        if !self.is_watching() {
            return None;
        }
        let watched = Arc::new(Watched {
            token: token.clone(),
            reported: AtomicBool::new(false),
            among: self.tokens.clone(),
        });
        lock(&self.tokens).insert(token, Arc::downgrade(&watched));
        Some(Reported(watched))
    }

    /// A call reports progress under `token`.
    pub(in crate::server) fn report(&self, token: &ProgressToken) {
        if let Some(watched) = lock(&self.tokens).get(token).and_then(Weak::upgrade) {
            watched.reported.store(true, Ordering::Relaxed);
        }
    }
}

impl Reported {
    pub(in crate::server) fn is_set(&self) -> bool {
        self.0.reported.load(Ordering::Relaxed)
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut tokens = lock(&self.among);
        // A later call may have the same token, which is its client's mistake.
        if tokens
            .get(&self.token)
            .is_some_and(|watched| watched.strong_count() == 0)
        {
            tokens.remove(&self.token);
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;

    use super::*;

    #[test]
    fn a_report_reaches_its_call_and_leaves_nothing_behind() {
        let token = |name: &str| ProgressToken(NumberOrString::String(name.into()));
        let all = Progresses::default();
        let (one, other) = (
            all.watch(token("a")).unwrap(),
            all.watch(token("b")).unwrap(),
        );
        all.report(&token("a"));
        all.report(&token("c"));
        assert!(one.is_set() && !other.is_set());
        drop((one.clone(), other));
        assert_eq!(lock(&all.tokens).len(), 1);
        drop(one);
        assert!(lock(&all.tokens).is_empty());
        all.stop();
        assert!(all.watch(token("a")).is_none());
    }

    #[test]
    fn a_level_is_kept_as_it_was_set() {
        let kept = LogLevel::default();
        assert_eq!(kept.get(), None);
        for level in LEVELS {
            kept.set(level);
            assert_eq!(kept.get(), Some(level));
        }
    }
}
