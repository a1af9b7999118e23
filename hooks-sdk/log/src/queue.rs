//! The lines that wait for the log's thread. A line for which nobody waits does not wake the thread at once.

use std::{
    collections::VecDeque,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use hooks_core::internal::lock;

/// How long the thread naps before it sleeps, and how long a line waits at most for which nobody waits. To wake a thread
/// costs the sender more than everything else.
const NAP: Duration = Duration::from_millis(10);

/// How many jobs the receiver takes at a time, so that it does not contend with the senders for each of them.
const TOGETHER: usize = 32;

/// A bounded queue with one receiver.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    woken: Condvar,
    most: usize,
}

#[derive(Debug)]
struct State<T> {
    jobs: VecDeque<T>,
    sleep: Sleep,
    is_closed: bool,
}

/// What the receiver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sleep {
    /// It works.
    Awake,
    /// It looks for jobs again after a nap.
    Naps,
    /// It sleeps until somebody wakes it.
    Sleeps,
}

impl<T> Queue<T> {
    pub(crate) fn new(most: usize) -> Queue<T> {
        Queue {
            state: Mutex::new(State {
                jobs: VecDeque::new(),
                sleep: Sleep::Awake,
                is_closed: false,
            }),
            woken: Condvar::new(),
            most,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        lock(&self.state)
    }

    /// Adds a job. Returns `false` if the queue is full or closed. `is_urgent` ends a nap of the receiver.
    pub(crate) fn send(&self, job: T, is_urgent: bool) -> bool {
        let mut state = self.lock();
        if state.is_closed || state.jobs.len() >= self.most {
            return false;
        }
        state.jobs.push_back(job);
        let wakes = match state.sleep {
            Sleep::Awake => false,
            Sleep::Naps => is_urgent,
            Sleep::Sleeps => true,
        };
        if wakes {
            state.sleep = Sleep::Awake;
        }
        drop(state);
        if wakes {
            self.woken.notify_one();
        }
        true
    }

    /// Waits for jobs, and moves some of them into `taken`. Moves none if there is none within this time.
    pub(crate) fn receive(&self, taken: &mut VecDeque<T>, within: Option<Duration>) {
        let mut state = self.lock();
        for (sleep, time) in [(Sleep::Naps, Some(NAP)), (Sleep::Sleeps, within)] {
            if !state.jobs.is_empty() {
                break;
            }
            state.sleep = sleep;
            state = self.asleep(state, time);
            state.sleep = Sleep::Awake;
        }
        let count = state.jobs.len().min(TOGETHER);
        taken.extend(state.jobs.drain(..count));
    }

    fn asleep<'s>(
        &'s self,
        state: MutexGuard<'s, State<T>>,
        time: Option<Duration>,
    ) -> MutexGuard<'s, State<T>> {
        match time {
            Some(time) => {
                let waited = self.woken.wait_timeout(state, time);
                waited.unwrap_or_else(PoisonError::into_inner).0
            }
            None => {
                let waited = self.woken.wait(state);
                waited.unwrap_or_else(PoisonError::into_inner)
            }
        }
    }

    /// Takes no further jobs, and drops those that wait.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.jobs.clear();
    }
}
