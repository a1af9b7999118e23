//! Work that is done one after the other, in the order in which it came.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use futures::future::BoxFuture;

use crate::core::dispatch::catch_panic;

/// How much may wait; what comes on top is dropped, and the log says so.
const MAX_WAITING: usize = 4096;

/// A queue with its own task, which lives only while there is something to do.
#[derive(Clone, Default)]
pub(super) struct Lane(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    waiting: VecDeque<BoxFuture<'static, ()>>,
    running: bool,
    closed: bool,
}

impl Lane {
    /// Does `job` after all that came before; says whether there is room for it.
    pub(super) fn push(&self, job: BoxFuture<'static, ()>) -> bool {
        let mut queue = self.queue();
        if queue.closed || queue.waiting.len() >= MAX_WAITING {
            return false;
        }
        queue.waiting.push_back(job);
        if !queue.running {
            queue.running = true;
            tokio::spawn(self.clone().work());
        }
        true
    }

    /// Drops what waits, and takes nothing more.
    pub(super) fn close(&self) {
        let mut queue = self.queue();
        queue.closed = true;
        let dropped = std::mem::take(&mut queue.waiting);
        drop(queue);
        drop(dropped);
    }

    async fn work(self) {
        loop {
            let next = {
                let mut queue = self.queue();
                let next = queue.waiting.pop_front();
                queue.running = next.is_some();
                next
            };
            let Some(job) = next else { return };
            if let Err(failure) = catch_panic(job).await {
                tracing::error!(error = %failure, "a notification was not handled");
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Lane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queue = self.queue();
        f.debug_struct("Lane")
            .field("waiting", &queue.waiting.len())
            .field("running", &queue.running)
            .finish()
    }
}
