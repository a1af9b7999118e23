//! When hooks fired, as far as cool-down and rate limit ask.

use std::{
    collections::HashMap,
    time::{Duration, Instant},
};

use super::{Policy, Reason};

/// The books of one session; never more entries than hooks held plus the rate limit.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// When each hook fired last, by its key.
    last: HashMap<u64, Instant>,
    /// The firings inside the rate limit's window.
    recent: Vec<Instant>,
}

/// A firing that was entered, with what is needed to take it back.
#[derive(Debug)]
pub(super) struct Entry {
    key: u64,
    at: Instant,
    before: Option<Instant>,
}

impl Pace {
    /// Whether the hook is still silent from firing before.
    pub(super) fn cooling(&self, policy: &Policy, key: u64, now: Instant) -> Option<Duration> {
        let past = now.saturating_duration_since(*self.last.get(&key)?);
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
        policy: &Policy,
        key: u64,
        now: Instant,
    ) -> Result<Entry, Reason> {
        let window = policy.rate.window;
        self.recent
            .retain(|&at| now.saturating_duration_since(at) < window);
        if self.recent.len() >= policy.rate.hooks {
            return Err(Reason::RateLimited);
        }
        self.recent.push(now);
        Ok(Entry {
            key,
            at: now,
            before: self.last.insert(key, now),
        })
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
