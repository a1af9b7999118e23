//! The author's server answers a request, within the deadline of the call if it has one.

use std::pin::pin;

use futures::future::{BoxFuture, Either, select};
use rmcp::ErrorData;
use tokio_util::sync::CancellationToken;

use super::{AuthorRequest, McpResponse, Pipeline, RequestState, deadline::Timed, step};

impl Pipeline {
    /// Lets the author's server answer, or the middleware that serves the tool.
    pub(super) fn begin(
        &self,
        request: AuthorRequest,
        call: &RequestState,
    ) -> BoxFuture<'_, Result<McpResponse, ErrorData>> {
        let served = call.served.as_ref();
        let served = served.and_then(|served| self.stack.served.get(&served.tool.name));
        match served {
            Some((_, middleware)) => middleware.run(request, self),
            None => self.author.ask(request.asked, request.cx),
        }
    }

    /// Waits for the answer, at most until the deadline of the call.
    pub(super) async fn reach_in_time(
        &self,
        method: &str,
        request: Box<AuthorRequest>,
        timed: Timed,
        cancelled: &CancellationToken,
        call: &mut RequestState,
    ) -> Result<McpResponse, ErrorData> {
        let _watched = timed.watched(call, &request.cx);
        let tool = call.tool().to_owned();
        let answer = self.begin(*request, call);
        let answer = timed.answer(method, answer, &tool);
        self.reach(method, answer, cancelled, call).await
    }

    /// Waits for the answer. A cancelled call runs to its end.
    pub(super) async fn reach(
        &self,
        method: &str,
        answer: impl Future<Output = Result<McpResponse, ErrorData>>,
        cancelled: &CancellationToken,
        call: &mut RequestState,
    ) -> Result<McpResponse, ErrorData> {
        let mut answer = pin!(answer);
        // An answer that lived across an `await` would have room in the future of every request.
        let ended = match select(answer.as_mut(), pin!(cancelled.cancelled())).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right(((), _)) => None,
        };
        let ended = match ended {
            Some(answer) if !cancelled.is_cancelled() => return answer,
            ended => ended.map(Box::new),
        };
        Box::pin(self.cancelled(method, call)).await;
        match ended {
            Some(answer) => *answer,
            None => answer.await,
        }
    }

    async fn cancelled(&self, method: &str, call: &mut RequestState) {
        call.is_cancelled = true;
        for (_, middleware) in &self.stack.after {
            // `step` logs the failure, and nobody reads the answer.
            _ = step(method, || middleware.cancelled(call)).await;
        }
    }
}
