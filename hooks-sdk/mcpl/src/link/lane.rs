//! A queue whose jobs run one after the other, in the order of their arrival.

use std::{
    collections::VecDeque,
    mem,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard},
};

use futures::future::BoxFuture;
use tokio::{
    sync::{Notify, oneshot},
    time::{Duration, Instant},
};

use crate::{Link, wire::method};
use hooks_core::internal::{catch_panic, lock};

/// The most jobs that may wait. Further ones are dropped and logged.
const MAX_WAITING: usize = 4096;

/// The most bytes that may wait, not counting the first job.
const MAX_WEIGHT: usize = 64 * 1024 * 1024;

/// How long after the end of the connection a waiting job may still begin. Later ones are dropped and logged.
#[doc(hidden)]
pub const LAST_JOBS: Duration = Duration::from_secs(5);

/// A queue with its own task. The task ends when the queue is empty.
#[derive(Clone, Default)]
pub(super) struct Lane(Arc<LaneState>);

#[derive(Default)]
struct LaneState {
    queue: Mutex<Queue>,
    /// Notified when the queue is empty.
    idle: Notify,
}

#[derive(Default)]
struct Queue {
    /// The waiting jobs, each with its weight.
    waiting: VecDeque<(usize, BoxFuture<'static, ()>)>,
    /// The weight of all waiting jobs, in bytes.
    weight: usize,
    running: bool,
    /// When the connection ended.
    closed: Option<Instant>,
}

impl Lane {
    /// Runs `job`, which holds `weight` bytes, after all earlier jobs. Returns `false` if there is no room for it.
    pub(super) fn push(&self, weight: usize, job: BoxFuture<'static, ()>) -> bool {
        let mut queue = self.queue();
        let too_heavy = queue.weight.saturating_add(weight) > MAX_WEIGHT;
        if queue.closed.is_some()
            || queue.waiting.len() >= MAX_WAITING
            || too_heavy && !queue.waiting.is_empty()
        {
            return false;
        }
        queue.weight = queue.weight.saturating_add(weight);
        queue.waiting.push_back((weight, job));
        if !queue.running {
            queue.running = true;
            tokio::spawn(self.clone().work());
        }
        true
    }

    /// Takes no more jobs. The waiting ones still run: the host has sent them, and cannot send them again.
    pub(super) fn close(&self) {
        self.queue().closed.get_or_insert_with(Instant::now);
    }

    /// Completes when no job waits or runs.
    pub(super) async fn idle(self) {
        loop {
            let mut idle = pin!(self.0.idle.notified());
            idle.as_mut().enable();
            if !self.queue().running {
                return;
            }
            idle.await;
        }
    }

    async fn work(self) {
        loop {
            let (next, late) = {
                let mut queue = self.queue();
                let late = match queue.closed {
                    Some(closed) if closed.elapsed() >= LAST_JOBS => mem::take(&mut queue.waiting),
                    _ => VecDeque::new(),
                };
                let next = queue.waiting.pop_front();
                queue.running = next.is_some();
                let weight = next.as_ref().map_or(0, |(weight, _)| *weight);
                queue.weight = queue.weight.saturating_sub(weight);
                (next, late)
            };
            if !late.is_empty() {
                let dropped = late.len();
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    dropped, "notifications are dropped: their connection ended"
                );
            }
            let Some((_, job)) = next else {
                self.0.idle.notify_waiters();
                return;
            };
            if let Err(failure) = catch_panic(job).await {
                tracing::error!(
                    target: "hooks_sdk::mcpl",
                    error = %failure, "a notification was not handled"
                );
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        lock(&self.0.queue)
    }
}

/// The place of a request in a lane. Earlier jobs run before it, and later jobs wait for it.
#[derive(Debug)]
#[doc(hidden)]
pub struct LaneTurn {
    granted: oneshot::Receiver<()>,
    /// Dropped when the request is answered, or can no longer be answered.
    _done: oneshot::Sender<()>,
}

impl LaneTurn {
    /// Waits until all earlier jobs are done.
    pub(super) async fn comes(&mut self) {
        // An error means that the lane is closed, so no job precedes this one.
        _ = (&mut self.granted).await;
    }
}

impl Link {
    /// Returns the place of a request that arrives now, if its method also exists as a notification.
    #[doc(hidden)]
    pub fn turn(self: &Arc<Link>, method: &str) -> Option<LaneTurn> {
        if method != method::CHANNELS_PUBLISH {
            return None;
        }
        let (grant, granted) = oneshot::channel();
        let (done, ended) = oneshot::channel::<()>();
        let job = Box::pin(async move {
            if grant.send(()).is_ok() {
                _ = ended.await;
            }
        });
        self.channels.push(0, job).then_some(LaneTurn {
            granted,
            _done: done,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Returns a lane that is busy until the sender is used.
    async fn busy() -> (Lane, oneshot::Sender<()>) {
        let lane = Lane::default();
        let (done, wait) = oneshot::channel();
        let (begun, begins) = oneshot::channel();
        let job = Box::pin(async move {
            _ = begun.send(());
            _ = wait.await;
        });
        assert!(lane.push(0, job));
        begins.await.unwrap();
        (lane, done)
    }

    #[tokio::test]
    async fn what_waits_is_bounded_in_number_and_in_bytes() {
        let (lane, done) = busy().await;
        let ran = Arc::new(AtomicUsize::new(0));
        let job = || {
            let ran = ran.clone();
            Box::pin(async move { _ = ran.fetch_add(1, Ordering::Relaxed) })
        };
        // A job that is too heavy by itself still runs when nothing else waits.
        assert!(lane.push(MAX_WEIGHT + 1, job()));
        assert!(!lane.push(1, job()));
        done.send(()).unwrap();
        while ran.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        assert!(lane.push(1, job()), "there is room again");

        let (lane, _done) = busy().await;
        assert!((0..MAX_WAITING).all(|_| lane.push(1, job())));
        assert!(!lane.push(0, job()));
        lane.close();
        assert!(!lane.push(0, job()));
    }

    #[tokio::test]
    async fn jobs_are_done_in_order_and_one_that_panics_stops_none() {
        let lane = Lane::default();
        let done = Arc::new(Mutex::new(Vec::new()));
        for at in 0..100 {
            let done = done.clone();
            let job = Box::pin(async move {
                tokio::task::yield_now().await;
                assert!(at != 50, "on purpose");
                done.lock().unwrap().push(at);
            });
            assert!(lane.push(1, job));
        }
        while done.lock().unwrap().len() < 99 {
            tokio::task::yield_now().await;
        }
        assert!(done.lock().unwrap().is_sorted());
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_at_the_end_is_still_done_unless_it_waits_for_too_long() {
        for (late, ran) in [(false, 1), (true, 0)] {
            let (lane, done) = busy().await;
            let count = Arc::new(AtomicUsize::new(0));
            let counted = count.clone();
            let job = Box::pin(async move { _ = counted.fetch_add(1, Ordering::Relaxed) });
            assert!(lane.push(1, job));
            lane.close();
            if late {
                tokio::time::advance(LAST_JOBS).await;
            }
            done.send(()).unwrap();
            lane.clone().idle().await;
            assert_eq!(count.load(Ordering::Relaxed), ran);
            assert!(!lane.push(0, Box::pin(async {})));
        }
    }
}
