//! When hooks fired, as far as cool-down and rate limit ask.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use super::{ClientPolicy, Reason};

/// The books of one session; never more entries than hooks held plus the rate limit.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When each hook fired last, by its key.
    last: HashMap<u64, Moment>,
    /// The firings inside the rate limit's window.
    recent: Vec<Moment>,
}

/// So long before an instant; the clock of some systems knows no time before their start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Moment {
    at: Instant,
    before: Duration,
}

impl Moment {
    fn past(self, now: Instant) -> Duration {
        now.saturating_duration_since(self.at)
            .saturating_add(self.before)
    }
}

/// A firing that was entered, with what is needed to take it back.
#[derive(Debug)]
pub(super) struct Entry {
    key: u64,
    at: Moment,
    before: Option<Moment>,
}

impl Pace {
    /// Whether the hook is still silent from firing before.
    pub(super) fn cooling(
        &self,
        policy: &ClientPolicy,
        key: u64,
        now: Instant,
    ) -> Option<Duration> {
        let past = self.last.get(&key)?.past(now);
        policy
            .cool_down
            .checked_sub(past)
            .filter(|remaining| !remaining.is_zero())
    }

    /// Enters a firing.
    ///
    /// # Errors
    ///
    /// That the rate limit is reached.
    pub(super) fn enter(
        &mut self,
        policy: &ClientPolicy,
        key: u64,
        now: Instant,
    ) -> Result<Entry, Reason> {
        let window = policy.rate.window;
        self.recent.retain(|moment| moment.past(now) < window);
        if self.recent.len() >= policy.rate.hooks {
            return Err(Reason::RateLimited);
        }
        let at = Moment {
            at: now,
            before: Duration::ZERO,
        };
        self.recent.push(at);
        Ok(Entry {
            key,
            at,
            before: self.last.insert(key, at),
        })
    }

    /// Enters a firing of the past, whatever the limits say; `key` is that of a hook that is held.
    pub(super) fn recall(
        &mut self,
        policy: &ClientPolicy,
        key: Option<u64>,
        ago: Duration,
        now: Instant,
    ) {
        let moment = Moment {
            at: now,
            before: ago,
        };
        // A full window lets nothing through, however much more is in it.
        if ago < policy.rate.window && self.recent.len() < policy.rate.hooks {
            self.recent.push(moment);
        }
        let later = |last: &Moment| last.past(now) <= ago;
        let Some(key) = key else { return };
        if !self.last.get(&key).is_some_and(later) {
            self.last.insert(key, moment);
        }
    }

    /// Takes back a firing that came to nothing.
    pub(super) fn take_back(&mut self, entry: &Entry) {
        if let Some(at) = self.recent.iter().position(|at| *at == entry.at) {
            self.recent.swap_remove(at);
        }
        if self.last.get(&entry.key) == Some(&entry.at) {
            match entry.before {
                Some(before) => self.last.insert(entry.key, before),
                None => self.last.remove(&entry.key),
            };
        }
    }

    /// Forgets the hooks that are gone.
    pub(super) fn keep(&mut self, is_held: impl Fn(u64) -> bool) {
        self.last.retain(|key, _| is_held(*key));
    }
}
