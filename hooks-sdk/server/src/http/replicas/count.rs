//! Counts what is dropped, and logs it without flooding the log.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts one kind of loss.
pub(super) struct Count {
    what: &'static str,
    number: AtomicU64,
}

impl Count {
    pub(super) const fn of(what: &'static str) -> Count {
        Count {
            what,
            number: AtomicU64::new(0),
        }
    }

    /// Counts one more. Logs the first, the second, the fourth, and so on.
    pub(super) fn add(&self) {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        if number.is_power_of_two() {
            tracing::warn!(target: "hooks_sdk::http", count = number, "{}", self.what);
        }
    }
}
