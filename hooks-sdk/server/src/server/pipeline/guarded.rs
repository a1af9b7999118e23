//! Whatever a middleware or the author's server does, the request is answered: every call of theirs runs in here.

use std::ops::Deref;

use futures::{FutureExt, future::BoxFuture};
use rmcp::ErrorData;

use super::McpResponse;
use hooks_core::{
    Failure,
    internal::{catch_panic, catch_panic_now},
};

/// The work of a middleware: a value at once, which costs no allocation, or a future.
pub(in crate::server) enum Work<'a, T> {
    Now(T),
    Later(BoxFuture<'a, T>),
}

impl<T> From<T> for Work<'_, T> {
    fn from(value: T) -> Self {
        Work::Now(value)
    }
}

/// The next step of a request after a middleware.
#[derive(Debug)]
pub(in crate::server) enum Flow {
    /// The request goes to the next middleware.
    On,
    /// The request goes back with this answer: a refusal, a denial, a question to the user, or the middleware's own
    /// result.
    Answer(Answer),
    /// To the gate again. A user was asked, and other calls may have changed the session since.
    #[cfg_attr(
        not(feature = "plugin"),
        expect(dead_code, reason = "plugins alone ask the user")
    )]
    Again,
}

/// The answer to a request. In a box, it takes no room in the future of the request while it is awaited.
pub(super) type Answer = Box<Result<McpResponse, ErrorData>>;

impl Flow {
    pub(in crate::server) fn answer(answer: Result<McpResponse, ErrorData>) -> Flow {
        Flow::Answer(Box::new(answer))
    }

    /// Returns the answer, if the request does not go on.
    pub(super) fn stop(flow: Result<Flow, ErrorData>) -> Option<Answer> {
        match flow {
            Ok(Flow::On | Flow::Again) => None,
            Ok(Flow::Answer(answer)) => Some(answer),
            Err(error) => Some(Box::new(Err(error))),
        }
    }
}

/// Runs one step of a middleware. If the step panics, returns an error.
pub(super) async fn step<'a, T, W: Into<Work<'a, T>>>(
    method: &str,
    step: impl FnOnce() -> W,
) -> Result<T, ErrorData> {
    let done = match catch_panic_now(|| step().into()) {
        Ok(Work::Now(value)) => Ok(value),
        Ok(Work::Later(future)) => catch_panic(future).await,
        Err(failure) => Err(failure),
    };
    done.map_err(|failure| failed(method, &failure))
}

/// Waits for an answer. If the future panics, returns an internal error.
pub(super) fn answered<'a>(
    method: impl Deref<Target = str> + 'a,
    answer: BoxFuture<'a, Result<McpResponse, ErrorData>>,
) -> impl Future<Output = Result<McpResponse, ErrorData>> + 'a {
    catch_panic(answer)
        .map(move |answer| answer.unwrap_or_else(|failure| Err(failed(&method, &failure))))
}

/// Returns and logs the error for a request that the server failed to answer.
pub(in crate::server) fn failed(method: &str, failure: &Failure) -> ErrorData {
    tracing::error!(
        target: "hooks_sdk::server",
        method, error = %failure, "the server did not answer"
    );
    let message = format!("the server failed while it answered `{method}`; its log says why");
    ErrorData::internal_error(message, None)
}
