//! The lowest level of log messages that the client wants.
#![expect(
    deprecated,
    reason = "rmcp marks what newer revisions drop, and older clients still use"
)]

use std::sync::atomic::{AtomicU8, Ordering};

use rmcp::model::LoggingLevel;

/// The lowest level of log messages that the client wants, in an atomic.
#[derive(Debug, Default)]
pub(super) struct LogLevel(AtomicU8);

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
    pub(super) fn set(&self, level: LoggingLevel) {
        let at = LEVELS.iter().position(|each| *each == level);
        let at = at.map_or(0, |at| at as u8 + 1);
        self.0.store(at, Ordering::Relaxed);
    }

    /// Returns the level, or `None` if the client has set none.
    pub(super) fn get(&self) -> Option<LoggingLevel> {
        let at = self.0.load(Ordering::Relaxed).checked_sub(1)?;
        LEVELS.get(usize::from(at)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
