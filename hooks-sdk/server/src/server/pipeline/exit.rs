//! What leaves in place of an answer that no middleware has judged.

use rmcp::{ErrorData, model::Extensions};
use tokio_util::sync::CancellationToken;

use super::{
    McpResponse, MiddlewareId, Pipeline, RefusalRecord, RequestState, Stack,
    late::Late,
    shown::{Family, ShownAs, is_question},
    step,
};
#[cfg(feature = "http")]
use crate::server::transport::in_use::RequestInUse;
use crate::server::{connection::Interests, transport::load::InFlightMark};

/// The marks of a request whose id is in use. The id is free when they are dropped and the request is answered.
pub(super) struct IdInUse {
    _on_stream: Option<InFlightMark>,
    #[cfg(feature = "http")]
    _in_session: Option<RequestInUse>,
}

impl IdInUse {
    pub(super) fn of(extensions: &Extensions) -> IdInUse {
        IdInUse {
            _on_stream: extensions.get().cloned(),
            #[cfg(feature = "http")]
            _in_session: extensions.get().cloned(),
        }
    }
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

impl Stack {
    /// Returns whether a middleware judges the contents of the answer.
    fn judge(&self, call: &mut RequestState) -> bool {
        let mut judges = self.judges.iter();
        judges.any(|middleware| middleware.judges(call))
    }
}

impl Pipeline {
    /// Returns whether a middleware judges the results of tasks.
    pub(in crate::server) fn judges_tasks(&self) -> bool {
        self.interests().has(Interests::TASKS)
    }

    /// Passes an answer through the middleware after the author's server. Middleware that judge contents see a result, whatever
    /// the answer is.
    pub(super) async fn after(
        &self,
        method: &str,
        family: Option<Family>,
        passed: usize,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let judges = self.stack.judging.clone();
        let mut shown = match family {
            Some(family) if call.reached && !judges.is_empty() && self.stack.judge(call) => {
                ShownAs::of(family, answer)
            }
            _ => None,
        };
        for (at, (index, middleware)) in self.stack.after.iter().enumerate() {
            if index.is_none_or(|index| index < passed) {
                let answer = match &mut shown {
                    Some(shown) if judges.contains(&at) => &mut shown.result,
                    _ => &mut *answer,
                };
                if let Err(error) = step(method, || middleware.after(call, answer, self)).await {
                    call.refused.get_or_insert_with(RefusalRecord::of_failure);
                    *answer = Err(error);
                }
            }
            if at + 1 == judges.end
                && let Some(shown) = shown.take()
            {
                Box::pin(self.judged(method, shown, call, answer)).await;
            }
        }
    }

    /// Cleans an answer that belongs to no item, and every error.
    pub(super) fn clean(
        &self,
        method: &str,
        by: Option<MiddlewareId>,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        if let Some(cleaner) = self.stack.cleaner() {
            cleaner.answer(method, by, answer);
        }
    }

    async fn judged(
        &self,
        method: &str,
        shown: Box<ShownAs>,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let was_question = answer.as_ref().is_ok_and(is_question);
        shown.write_back(answer);
        // The plugins keep the state of the author's question, so that its retry does not ask again.
        if was_question
            && answer.as_ref().is_ok_and(is_question)
            && let Some(plugins) = self.stack.at(MiddlewareId::Plugin)
            && let Err(error) = step(method, || plugins.after(call, answer, self)).await
        {
            *answer = Err(error);
        }
    }

    /// Passes the answer to `tasks/get` through the middleware, as the result of the call that created the task.
    pub(super) async fn late(
        &self,
        method: &str,
        call: &mut RequestState,
        answer: &mut Result<McpResponse, ErrorData>,
    ) {
        let is_judged = self.stack.judge(call);
        let Some(mut late) = Late::of(answer) else {
            return;
        };
        call.is_task_ended = Late::is_end(answer);
        // What an earlier fetch met says nothing about this one.
        call.refused = None;
        for middleware in &self.stack.task_results {
            if let Err(error) = step(method, || middleware.late(call, &mut late.shown, self)).await
            {
                call.refused.get_or_insert_with(RefusalRecord::of_failure);
                late.shown = Err(error);
            }
        }
        late.write_back(is_judged, answer);
    }
}
