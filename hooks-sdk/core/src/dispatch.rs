//! Runs one hook so that its caller always gets an answer in time.

use std::{
    any::Any,
    future::poll_fn,
    panic::AssertUnwindSafe,
    pin::pin,
    task::Poll,
    time::{Duration, Instant},
};

use futures::FutureExt;
use thiserror::Error;

use super::{
    HookError, Posture,
    observe::{self, Run},
};

/// The limits of a hook: its deadline and its posture.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[doc(hidden)]
pub struct Guard {
    /// The longest time for one call.
    pub deadline: Duration,
    /// What happens when a call fails.
    pub posture: Posture,
}

/// The reason why a hook gave no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// It answered with an error.
    #[error("{0}")]
    Failed(HookError),
    /// It panicked.
    #[error("it panicked: {0}")]
    Panicked(String),
    /// It exceeded its deadline.
    #[error("it took longer than {} ms", .0.as_millis())]
    TimedOut(Duration),
}

impl Failure {
    /// Returns the failure with the whole deadline, where the timer ran for the rest of it.
    #[doc(hidden)]
    pub fn of(self, deadline: Duration) -> Failure {
        match self {
            Failure::TimedOut(_) => Failure::TimedOut(deadline),
            other => other,
        }
    }

    /// Describes the failure for a peer. The message of a panic stays in the log, since its author did not write it for
    /// peers.
    pub fn for_peer(&self) -> String {
        match self {
            Failure::Panicked(_) => "it panicked; the server's log says with what".to_owned(),
            Failure::Failed(_) | Failure::TimedOut(_) => self.to_string(),
        }
    }
}

impl Guard {
    /// A guard with a deadline and a posture.
    pub const fn new(deadline: Duration, posture: Posture) -> Guard {
        Guard { deadline, posture }
    }

    /// Runs a hook. Returns `None` for a failure with the posture [`Posture::Proceed`].
    ///
    /// # Errors
    ///
    /// The failure, if the posture is [`Posture::Deny`].
    pub async fn run<T>(
        &self,
        run: Run<'_, T>,
        answer: impl Future<Output = Result<T, HookError>>,
    ) -> Result<Option<T>, Failure> {
        let running = within(self.deadline, answer)
            .map(|ended| ended.and_then(|answer| answer.map_err(Failure::Failed)));
        let failure = match observe::hook(&run, running).await {
            Ok(answer) => return Ok(Some(answer)),
            Err(failure) if run.is_answered_by(&failure) => {
                tracing::debug!(
                    target: "hooks_sdk::core",
                    hook = run.id(), error = %failure, "a hook answered with an error"
                );
                return Err(failure);
            }
            Err(failure) => failure,
        };
        tracing::error!(
            target: "hooks_sdk::core",
            hook = run.id(), error = %failure, "hook failed"
        );
        match self.posture {
            Posture::Deny => Err(failure),
            Posture::Proceed => Ok(None),
        }
    }
}

/// Awaits `future` for at most `deadline`. A panic inside it becomes an error.
///
/// The timer is armed only when the first poll is pending, so that a future that is ready at once needs no timer. A
/// future that ends after the deadline has timed out, also where it never let the timer run.
///
/// # Errors
///
/// [`Failure::Panicked`] or [`Failure::TimedOut`].
pub async fn within<T>(deadline: Duration, future: impl Future<Output = T>) -> Result<T, Failure> {
    let mut future = pin!(catch_panic(future));
    let mut timer = pin!(None);
    let began = Instant::now();
    poll_fn(|cx| {
        if let Poll::Ready(answer) = future.as_mut().poll(cx) {
            return Poll::Ready(
                answer.and_then(|answer| in_time(began.elapsed(), deadline, answer)),
            );
        }
        if timer.is_none() {
            timer.set(Some(tokio::time::sleep(
                deadline.saturating_sub(began.elapsed()),
            )));
        }
        match timer.as_mut().as_pin_mut() {
            Some(timer) => timer.poll(cx).map(|()| Err(Failure::TimedOut(deadline))),
            None => Poll::Pending,
        }
    })
    .await
}

/// Returns an answer that `took` so long, if it came before its deadline.
///
/// # Errors
///
/// [`Failure::TimedOut`].
#[doc(hidden)]
pub fn in_time<T>(took: Duration, deadline: Duration, answer: T) -> Result<T, Failure> {
    if took > deadline {
        return Err(Failure::TimedOut(deadline));
    }
    Ok(answer)
}

/// Awaits `future`. A panic inside it becomes an error.
///
/// # Errors
///
/// [`Failure::Panicked`] with the panic's message.
#[doc(hidden)]
pub fn catch_panic<T>(future: impl Future<Output = T>) -> impl Future<Output = Result<T, Failure>> {
    // Not an `async fn`, which would store the future twice.
    AssertUnwindSafe(future)
        .catch_unwind()
        .map(|ended| ended.map_err(|panic| Failure::Panicked(panic_message(&*panic).to_owned())))
}

/// Calls `function`. A panic inside it becomes an error.
///
/// # Errors
///
/// [`Failure::Panicked`] with the panic's message.
#[doc(hidden)]
pub fn catch_panic_now<T>(function: impl FnOnce() -> T) -> Result<T, Failure> {
    std::panic::catch_unwind(AssertUnwindSafe(function))
        .map_err(|panic| Failure::Panicked(panic_message(&*panic).to_owned()))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use super::*;

    const SHORT: Duration = Duration::from_millis(5);

    fn h<T>() -> Run<'static, T> {
        Run::new("protocol", "point", "h")
    }

    #[tokio::test]
    async fn deny_reports_each_kind() {
        let guard = Guard::new(SHORT, Posture::Deny);
        let failed = guard
            .run::<()>(h(), async { Err(HookError::new("no disk")) })
            .await;
        assert_eq!(failed.unwrap_err().to_string(), "no disk");
        let panicked = guard.run::<()>(h(), async { panic!("boom {}", 1) }).await;
        let panicked = panicked.unwrap_err();
        assert_eq!(panicked.to_string(), "it panicked: boom 1");
        assert!(!panicked.for_peer().contains("boom"));
        let hung = guard.run::<()>(h(), pending()).await;
        assert_eq!(hung.unwrap_err().to_string(), "it took longer than 5 ms");
        assert_eq!(guard.run(h(), async { Ok(1) }).await.unwrap(), Some(1));
    }

    #[tokio::test]
    async fn proceed_goes_on() {
        let proceed = Guard::new(SHORT, Posture::Proceed);
        assert_eq!(proceed.run::<()>(h(), pending()).await.unwrap(), None);
        assert_eq!(proceed.run(h(), async { Ok(1) }).await.unwrap(), Some(1));
    }

    #[test]
    fn a_ready_hook_needs_no_timer() {
        // Arming a tokio timer outside a runtime panics.
        let answer = within(SHORT, async { 7 }).now_or_never().unwrap();
        assert_eq!(answer.unwrap(), 7);
    }
}
