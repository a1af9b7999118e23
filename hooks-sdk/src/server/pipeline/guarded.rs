//! Whatever a station or the author's server does, the request is answered: every call of theirs runs in here.

use std::ops::Deref;

use futures::{FutureExt, future::BoxFuture};
use rmcp::ErrorData;

use super::{Answer, Step};
use crate::core::{
    Failure,
    dispatch::{catch_panic, catch_panic_now},
};

/// Runs one step of a station. If the step panics, returns an error.
pub(super) async fn step<'a, T>(
    method: &str,
    step: impl FnOnce() -> Step<'a, T>,
) -> Result<T, ErrorData> {
    let done = match catch_panic_now(step) {
        Ok(Step::Now(value)) => Ok(value),
        Ok(Step::Later(future)) => catch_panic(future).await,
        Err(failure) => Err(failure),
    };
    done.map_err(|failure| failed(method, &failure))
}

/// Waits for an answer. If the future panics, returns an internal error.
pub(super) fn answered<'a>(
    method: impl Deref<Target = str> + 'a,
    answer: BoxFuture<'a, Result<Answer, ErrorData>>,
) -> impl Future<Output = Result<Answer, ErrorData>> + 'a {
    catch_panic(answer)
        .map(move |answer| answer.unwrap_or_else(|failure| Err(failed(&method, &failure))))
}

/// Returns and logs the error for a request that the server failed to answer.
pub(in crate::server) fn failed(method: &str, failure: &Failure) -> ErrorData {
    tracing::error!(method, error = %failure, "the server did not answer");
    let message = format!("the server failed while it answered `{method}`; its log says why");
    ErrorData::internal_error(message, None)
}
