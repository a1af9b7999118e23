//! The end of what the tasks of a test do.

use std::time::Duration;

use tokio::time::{pause, resume, sleep};

/// Waits until every task of this thread's runtime waits. A task that waits for a socket or a process counts as one of
/// them.
pub async fn idle() {
    // A clock that stands still moves when nothing else does.
    pause();
    sleep(Duration::from_millis(1)).await;
    resume();
}
