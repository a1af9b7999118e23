//! What the contracts of stores and of logs share.

use std::{future::Future, panic::resume_unwind, time::Duration};

use futures::future::join_all;

use hooks_core::store::{Bytes, Key};

/// A time to live that does not end during the check.
pub(super) const LONG: Duration = Duration::from_secs(600);

/// A time to live that the check waits for.
pub(super) const SHORT: Duration = Duration::from_millis(600);

/// Draws a key, so that a check meets nothing of an earlier one.
pub(super) fn drawn_key() -> Key {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).expect("the system has random bytes");
    Key::new(&bytes)
}

pub(super) fn bytes(of: &[u8]) -> Bytes {
    Bytes::from(of)
}

/// Runs all at once, on the runtime's threads. Panics as the first of them that does.
pub(super) async fn together<F>(all: impl Iterator<Item = F>) -> Vec<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let tasks: Vec<_> = all.map(tokio::spawn).collect();
    let done = join_all(tasks).await.into_iter();
    done.map(|done| done.unwrap_or_else(|error| resume_unwind(error.into_panic())))
        .collect()
}
