//! Whatever a middleware or the author's server does, the request is answered: every call of theirs runs in here.

use std::ops::Deref;

use futures::{FutureExt, future::BoxFuture};
use rmcp::ErrorData;

use super::{McpResponse, Work};
use hooks_core::{
    Failure,
    internal::{catch_panic, catch_panic_now},
};

/// Runs one step of a middleware. If the step panics, returns an error.
pub(super) async fn step<'a, T>(
    method: &str,
    step: impl FnOnce() -> Work<'a, T>,
) -> Result<T, ErrorData> {
    let done = match catch_panic_now(step) {
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
