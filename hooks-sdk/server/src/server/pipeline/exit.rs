//! What leaves in place of an answer that no middleware has judged.

use rmcp::{ErrorData, model::Extensions};
use tokio_util::sync::CancellationToken;

use super::{McpResponse, MiddlewareId, Pipeline};
#[cfg(feature = "http")]
use crate::server::transport::in_use::RequestInUse;
use crate::server::transport::load::InFlightMark;

/// Returns the marks of a request whose id is in use. The id is free when they are dropped and the request is answered.
pub(super) fn id_in_use(extensions: &Extensions) -> impl Sized + use<> {
    (
        extensions.get::<InFlightMark>().cloned(),
        #[cfg(feature = "http")]
        extensions.get::<RequestInUse>().cloned(),
    )
}

/// Replaces the answer to a request that its client has cancelled: some middleware have not seen it. rmcp drops the answer to
/// a cancelled request, unless the client uses the id again.
pub(super) fn without_cancelled(
    cancelled: &CancellationToken,
    answer: &mut Result<McpResponse, ErrorData>,
) {
    if cancelled.is_cancelled() {
        *answer = Err(withheld_from_cancelled());
    }
}

/// Returns the error in place of the answer to a cancelled request.
pub(super) fn withheld_from_cancelled() -> ErrorData {
    ErrorData::internal_error("the client cancelled the request", None)
}

impl Pipeline {
    /// Cleans an answer that belongs to no item, and every error.
    pub(super) fn clean(
        &self,
        method: &str,
        by: Option<MiddlewareId>,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        if let Some(cleaner) = self.parts.cleaner() {
            cleaner.answer(method, by, answer);
        }
    }
}
