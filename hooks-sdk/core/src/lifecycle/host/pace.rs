//! The times of firings that cool-down and rate limit need.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use super::ClientControls;

/// The firings of one session: at most one for each hook, plus those inside the rate limit's window.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The last firing of each hook, by its key.
    last: HashMap<u64, PastInstant>,
    /// The firings inside the rate limit's window.
    recent: Vec<PastInstant>,
}

/// Subtracts a duration from an instant. The clock of some systems has no time before their start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PastInstant {
    at: Instant,
    before: Duration,
}

impl PastInstant {
    fn past(self, now: Instant) -> Duration {
        now.saturating_duration_since(self.at)
            .saturating_add(self.before)
    }
}

impl Pace {
    /// Returns whether the hook still cools down.
    pub(super) fn cooling(
        &self,
        policy: &ClientControls,
        key: u64,
        now: Instant,
    ) -> Option<Duration> {
        let past = self.last.get(&key)?.past(now);
        policy
            .cool_down
            .checked_sub(past)
            .filter(|remaining| !remaining.is_zero())
    }

    /// Returns whether the rate limit is reached, with so many firings that are not recorded yet.
    pub(super) fn is_full(&mut self, policy: &ClientControls, others: usize, now: Instant) -> bool {
        self.recent
            .retain(|moment| moment.past(now) < policy.rate.window);
        self.recent.len() + others >= policy.rate.hooks
    }

    /// Records a firing.
    pub(super) fn record(&mut self, key: u64, now: Instant) {
        let at = PastInstant {
            at: now,
            before: Duration::ZERO,
        };
        self.recent.push(at);
        self.last.insert(key, at);
    }

    /// Records an earlier firing, whatever the limits are; `key` is the key of a registered hook.
    pub(super) fn recall(
        &mut self,
        policy: &ClientControls,
        key: Option<u64>,
        ago: Duration,
        now: Instant,
    ) {
        let moment = PastInstant {
            at: now,
            before: ago,
        };
        // A full window admits nothing, so more entries would change nothing.
        if ago < policy.rate.window && self.recent.len() < policy.rate.hooks {
            self.recent.push(moment);
        }
        let later = |last: &PastInstant| last.past(now) <= ago;
        let Some(key) = key else { return };
        if !self.last.get(&key).is_some_and(later) {
            self.last.insert(key, moment);
        }
    }

    /// Removes the hooks that are no longer registered.
    pub(super) fn keep(&mut self, is_held: impl Fn(u64) -> bool) {
        self.last.retain(|key, _| is_held(*key));
    }
}
