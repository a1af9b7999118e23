//! How many calls each caller made: bounded in bytes, with a share for each caller.

use std::{
    collections::HashMap,
    hash::{BuildHasher, Hash, RandomState},
    sync::Mutex,
    time::{Duration, Instant},
};

use hooks_core::internal::lock;

/// How many callers are counted apart. Beyond it, further ones share one count.
pub(super) const MAX_CALLERS: usize = 10_000;
/// How many counts one caller has. Beyond it, its further tools share one count of its own.
pub(super) const SHARE: usize = 64;
/// The fewest callers after which those without a recent call are dropped.
const SWEEP: usize = 1024;
/// How often a full table is swept, in nanoseconds.
const PAUSE: u64 = 1_000_000_000;

/// How many calls may come, and how fast.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    /// The nanoseconds for one call.
    pub(super) interval: u64,
    pub(super) burst: u32,
}

impl Rate {
    /// Takes one call from a count, or returns how long to wait. The count is the time at which everything that was
    /// taken is paid back (the generic cell rate algorithm).
    fn take(self, due: &mut u64, now: u64) -> Result<(), Duration> {
        let paid = (*due).max(now);
        let most = self.interval.saturating_mul(u64::from(self.burst) - 1);
        match (paid - now).checked_sub(most) {
            None | Some(0) => {
                *due = paid.saturating_add(self.interval);
                Ok(())
            }
            Some(wait) => Err(Duration::from_nanos(wait)),
        }
    }
}

/// The counts of one limit. Of what a client sends they keep hashes only.
pub(super) struct LimitCounts {
    hasher: RandomState,
    started: Instant,
    /// The most counts of one caller.
    share: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    callers: HashMap<u64, Caller>,
    /// The count of the callers beyond the bound.
    others: u64,
    sweep_at: usize,
    swept: u64,
    warned: bool,
}

#[derive(Default)]
struct Caller {
    counts: Vec<(u64, u64)>,
    /// The count of the tools beyond the share, and of tools that do not exist.
    rest: u64,
}

impl LimitCounts {
    pub(super) fn new(share: usize) -> LimitCounts {
        LimitCounts {
            hasher: RandomState::new(),
            started: Instant::now(),
            share,
            kept: Mutex::default(),
        }
    }

    pub(super) fn hash(&self, value: impl Hash) -> u64 {
        self.hasher.hash_one(value)
    }

    /// Counts a call, or returns how long to wait. `is_known` is asked about a key that has no count yet: what is not
    /// known gets none.
    pub(super) fn count(
        &self,
        rate: Rate,
        caller: u64,
        key: u64,
        is_known: impl FnOnce() -> bool,
    ) -> Result<(), Duration> {
        // The author's own code answers, so no lock is held meanwhile.
        let own = self.kept().has(caller, key) || is_known();
        let now = u64::try_from(self.started.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let mut kept = self.kept();
        let due = kept.count(caller, own.then_some(key), self.share, now);
        rate.take(due, now)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        lock(&self.kept)
    }

    #[cfg(test)]
    pub(super) fn size(&self) -> (usize, usize) {
        let kept = self.kept();
        let counts = kept.callers.values().map(|caller| caller.counts.len());
        (kept.callers.len(), counts.sum())
    }
}

impl Kept {
    fn has(&self, caller: u64, key: u64) -> bool {
        let caller = self.callers.get(&caller);
        caller.is_some_and(|caller| caller.counts.iter().any(|(own, _)| *own == key))
    }

    /// Returns the count of a caller's key.
    fn count(&mut self, caller: u64, key: Option<u64>, share: usize, now: u64) -> &mut u64 {
        if !self.callers.contains_key(&caller) {
            self.sweep(now);
            if self.callers.len() >= MAX_CALLERS {
                if !self.warned {
                    self.warned = true;
                    tracing::warn!(
                        target: "hooks_sdk::plugin",
                        "`rate_limit` counts {MAX_CALLERS} callers; further ones share one count"
                    );
                }
                return &mut self.others;
            }
        }
        self.callers
            .entry(caller)
            .or_default()
            .count(key, share, now)
    }

    /// Drops the callers that have waited long enough: a new count says the same as theirs.
    fn sweep(&mut self, now: u64) {
        let full = self.callers.len() >= MAX_CALLERS;
        let due = self.callers.len() >= self.sweep_at.max(SWEEP);
        if !due && !full || full && now.saturating_sub(self.swept) < PAUSE {
            return;
        }
        self.swept = now;
        self.callers.retain(|_, caller| {
            caller.counts.retain(|(_, due)| *due > now);
            !caller.counts.is_empty() || caller.rest > now
        });
        self.sweep_at = (2 * self.callers.len()).min(MAX_CALLERS);
    }
}

impl Caller {
    fn count(&mut self, key: Option<u64>, share: usize, now: u64) -> &mut u64 {
        let Some(key) = key else {
            return &mut self.rest;
        };
        if let Some(at) = self.counts.iter().position(|(own, _)| *own == key) {
            return &mut self.counts[at].1;
        }
        if self.counts.len() >= share {
            self.counts.retain(|(_, due)| *due > now);
        }
        if self.counts.len() >= share {
            return &mut self.rest;
        }
        self.counts.push((key, 0));
        let last = self.counts.len() - 1;
        &mut self.counts[last].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOURLY: Rate = Rate {
        interval: 60_000_000_000,
        burst: 60,
    };

    #[test]
    fn unknown_tools_make_no_counts() {
        let counts = LimitCounts::new(SHARE);
        for key in 0..1000 {
            _ = counts.count(HOURLY, 1, key, || false);
        }
        assert_eq!(counts.size(), (1, 0));
        assert!(counts.count(HOURLY, 1, 5000, || false).is_err());
        assert!(counts.count(HOURLY, 1, 5000, || true).is_ok());
    }

    #[test]
    fn callers_are_bounded_and_who_is_counted_stays_counted() {
        let counts = LimitCounts::new(SHARE);
        let once = Rate {
            interval: 3_600_000_000_000,
            burst: 1,
        };
        for caller in 0..3 * MAX_CALLERS as u64 {
            _ = counts.count(once, caller, 1, || true);
        }
        assert_eq!(counts.size().0, MAX_CALLERS);
        assert!(counts.count(once, 0, 1, || true).is_err());
        assert!(
            counts.count(once, 0, 2, || true).is_ok(),
            "with a count of its own"
        );
    }

    #[test]
    fn who_has_waited_is_dropped() {
        let counts = LimitCounts::new(SHARE);
        let fast = Rate {
            interval: 1,
            burst: 1,
        };
        for caller in 0..5 * SWEEP as u64 {
            _ = counts.count(fast, caller, 1, || true);
        }
        assert!(counts.size().0 <= 2 * SWEEP, "{:?}", counts.size());
    }

    #[test]
    fn calls_come_back_with_the_time() {
        let rate = Rate {
            interval: 10,
            burst: 2,
        };
        let mut due = 0;
        assert!(rate.take(&mut due, 100).is_ok());
        assert!(rate.take(&mut due, 100).is_ok());
        assert_eq!(rate.take(&mut due, 100), Err(Duration::from_nanos(10)));
        assert!(rate.take(&mut due, 110).is_ok());
        assert_eq!(rate.take(&mut due, 115), Err(Duration::from_nanos(5)));
    }
}
