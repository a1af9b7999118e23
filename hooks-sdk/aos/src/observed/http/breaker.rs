//! The circuit breaker: a guardian that cannot be reached is not asked for a while.

use std::{
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

use hooks_core::internal::lock;

/// Opens after a number of failures in a row. When its pause has passed, one call probes the guardian.
#[derive(Debug)]
pub(super) struct Breaker {
    failures: u32,
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Closed {
        failures: u32,
    },
    /// `None`: for ever.
    Open {
        until: Option<Instant>,
    },
    Probing,
}

impl Breaker {
    /// A breaker that opens after `failures` in a row. With 0 it never opens.
    pub(super) fn new(failures: u32, pause: Duration) -> Breaker {
        Breaker {
            failures,
            pause,
            state: Mutex::new(State::Closed { failures: 0 }),
        }
    }

    /// Whether a call is refused now.
    pub(super) fn refuses(&self) -> bool {
        match *self.state() {
            State::Closed { .. } => false,
            State::Open { until } => until.is_none_or(|until| Instant::now() < until),
            State::Probing => true,
        }
    }

    /// Lets a call through. `None` if the circuit is open, or if another call probes. A call that is no probe leaves the
    /// circuit to the others while it runs.
    pub(super) fn enter(&self, may_probe: bool) -> Option<Pass<'_>> {
        if self.refuses() {
            return None;
        }
        let mut state = self.state();
        let probes = match *state {
            State::Closed { .. } => false,
            State::Open { .. } => may_probe,
            State::Probing => return None,
        };
        if probes {
            *state = State::Probing;
        }
        Some(Pass {
            breaker: self,
            probes,
        })
    }

    fn open(&self) -> State {
        State::Open {
            until: Instant::now().checked_add(self.pause),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic while it is held cannot leave it half changed.
        lock(&self.state)
    }
}

/// A call that was let through. A probe that is dropped without a result leaves the circuit open for the next probe.
#[derive(Debug)]
pub(super) struct Pass<'b> {
    breaker: &'b Breaker,
    probes: bool,
}

impl Pass<'_> {
    /// The guardian answered: the circuit closes.
    pub(super) fn answered(mut self) {
        self.probes = false;
        *self.breaker.state() = State::Closed { failures: 0 };
    }

    /// The guardian could not be reached.
    pub(super) fn failed(mut self) {
        let probed = std::mem::take(&mut self.probes);
        let mut state = self.breaker.state();
        let failures = match *state {
            State::Closed { failures } => failures.saturating_add(1),
            // This call began before the circuit opened, and its failure was expected.
            State::Open { .. } | State::Probing => 0,
        };
        if probed || (self.breaker.failures > 0 && failures >= self.breaker.failures) {
            tracing::warn!(
                target: "hooks_sdk::aos",
                pause_ms = self.breaker.pause.as_millis(),
                "the guardian is not asked for a while"
            );
            *state = self.breaker.open();
        } else if let State::Closed { failures: counted } = &mut *state {
            *counted = failures;
        }
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        if self.probes {
            let until = Some(Instant::now());
            *self.breaker.state() = State::Open { until };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_failures_in_a_row_and_one_call_probes() {
        let breaker = Breaker::new(2, Duration::ZERO);
        breaker.enter(true).unwrap().failed();
        breaker.enter(true).unwrap().answered();
        breaker.enter(true).unwrap().failed();
        assert!(!breaker.refuses());
        breaker.enter(true).unwrap().failed();
        // The pause is over at once.
        let probe = breaker.enter(true).unwrap();
        assert!(breaker.refuses() && breaker.enter(true).is_none());
        drop(probe);
        let probe = breaker.enter(true).unwrap();
        probe.failed();
        let probe = breaker.enter(true).unwrap();
        probe.answered();
        let (one, other) = (breaker.enter(true).unwrap(), breaker.enter(true).unwrap());
        one.answered();
        other.answered();
    }

    #[test]
    fn an_open_circuit_refuses_until_its_pause_has_passed() {
        let breaker = Breaker::new(1, Duration::MAX);
        let slow = breaker.enter(true).unwrap();
        breaker.enter(true).unwrap().failed();
        assert!(breaker.refuses() && breaker.enter(true).is_none());
        // An answer to an earlier call proves that the guardian is back.
        slow.answered();
        assert!(breaker.enter(true).is_some());
    }

    #[test]
    fn it_never_opens_without_a_limit() {
        let breaker = Breaker::new(0, Duration::MAX);
        for _ in 0..100 {
            breaker.enter(true).unwrap().failed();
        }
        assert!(!breaker.refuses());
    }
}
