//! The clock of tests whose peers are real sockets.

use std::time::Duration;

use futures::FutureExt;
use tokio::time::{advance, pause, resume, sleep};

/// Moves tokio's clock forward by `time`, and lets the tasks run whose time-outs this reaches.
///
/// The clock runs on before and after: while it stands still, tokio moves it to the next time-out whenever all tasks wait,
/// also if they wait for a socket. So nothing is awaited here before it runs again.
pub async fn passes(time: Duration) {
    pause();
    _ = advance(time).now_or_never();
    resume();
    // Once for the time-outs, which tokio rounds up, and once for the tasks that they wake.
    for _ in 0..2 {
        sleep(Duration::from_millis(1)).await;
    }
}
