//! The deadline of a tool, a prompt, a resource or a completion.

use std::{
    pin::pin,
    sync::{Arc, Mutex},
    time::Duration,
};

use futures::future::{BoxFuture, Either, select};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock},
};
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{McpAnswer, McpResponse, answered};
use crate::server::{connection::Flag, lock, methods::Points};

/// How long a tool may clean up after its deadline, before its future is dropped (1 second).
const GRACE: Duration = Duration::from_secs(1);

/// How long the author's tools, prompts, resources and completions may take.
///
/// At the deadline the SDK cancels the token in the request's context, and drops the future 1 second later. A tool's call is
/// then answered with a result that has `isError: true`, anything else with an error. Hooks after the server see
/// that answer, and no session changes its state.
///
/// The time in which the server waits for the client's user or model, by elicitation or sampling, does not count. On a transport
/// of rmcp's own, a question from a task that the call has spawned belongs to no call, and its time counts. To name the call,
/// insert `OriginatingRequestId(cx.id)` into the extensions of the question.
///
/// If its client answers questions, a call with a deadline has a peer of its own, and so has each call in a session of HTTP. That
/// peer works until 16 later calls of the connection have ended.
///
/// Without a setting, calls over HTTP have a deadline of 120 seconds, on a WebSocket too. Calls on a stream have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallDeadline {
    longest: Option<Duration>,
    by_progress: bool,
}

impl CallDeadline {
    /// What holds over HTTP, unless set otherwise (120 seconds).
    pub(super) const OVER_HTTP: CallDeadline = CallDeadline::after(Duration::from_secs(120));

    /// Sets no deadline.
    #[must_use]
    pub const fn none() -> CallDeadline {
        CallDeadline {
            longest: None,
            by_progress: false,
        }
    }

    /// Sets how long a call may take, on streams and over HTTP.
    #[must_use]
    pub const fn after(longest: Duration) -> CallDeadline {
        CallDeadline {
            longest: Some(longest),
            by_progress: false,
        }
    }

    /// Lets the time of a call begin anew whenever the call reports progress to its client.
    #[must_use]
    pub const fn extended_by_progress(mut self) -> CallDeadline {
        self.by_progress = true;
        self
    }
}

impl From<Duration> for CallDeadline {
    fn from(longest: Duration) -> CallDeadline {
        CallDeadline::after(longest)
    }
}

/// The time of one call. It stands still while the server waits for the client's user.
#[derive(Debug)]
pub(crate) struct Clock {
    points: Points,
    longest: Duration,
    by_progress: bool,
    time: Mutex<Time>,
    changed: Notify,
    /// Whether the call was stopped at its deadline.
    pub(super) has_stopped: Flag,
}

#[derive(Debug)]
struct Time {
    /// What was left when the clock last began to run, and when that was.
    left: Duration,
    since: Instant,
    /// How many questions to the client are open.
    questions: usize,
}

impl Clock {
    /// Returns the time of a request for such an item, unless the deadline is none.
    pub(super) fn new(points: Points, deadline: CallDeadline) -> Option<Arc<Clock>> {
        let longest = deadline.longest?;
        Some(Arc::new(Clock {
            points,
            longest,
            by_progress: deadline.by_progress,
            time: Mutex::new(Time {
                left: longest,
                since: Instant::now(),
                questions: 0,
            }),
            changed: Notify::new(),
            has_stopped: Flag::default(),
        }))
    }

    fn change(&self, change: impl FnOnce(&mut Time)) {
        let time = &mut lock(&self.time);
        change(time);
        self.changed.notify_one();
    }

    /// Lets the time begin anew.
    fn begin(&self) {
        self.change(|time| (time.left, time.since) = (self.longest, Instant::now()));
    }

    /// Called when the server asks the client for the call.
    pub(crate) fn stop(&self) {
        self.change(|time| {
            if time.questions == 0 {
                time.left = time.left.saturating_sub(time.since.elapsed());
            }
            time.questions += 1;
        });
    }

    /// Called when the client has answered, or the server does not wait any more.
    pub(crate) fn go_on(&self) {
        self.change(|time| {
            time.questions = time.questions.saturating_sub(1);
            time.since = Instant::now();
        });
    }

    /// Called when the call reports progress.
    pub(crate) fn progressed(&self) {
        if self.by_progress {
            self.begin();
        }
    }

    /// Returns when the time is over, or `None` while the clock stands still.
    fn end(&self) -> Option<Instant> {
        let time = lock(&self.time);
        (time.questions == 0).then(|| time.since + time.left)
    }

    /// Waits until the time is over.
    async fn over(&self) {
        loop {
            let changed = pin!(self.changed.notified());
            let Some(end) = self.end() else {
                changed.await;
                continue;
            };
            if let Either::Left(_) = select(pin!(sleep_until(end)), changed).await
                && self.end().is_some_and(|end| end <= Instant::now())
            {
                return;
            }
        }
    }

    /// Waits for the answer of the author's server, at most until the deadline. The time of the middleware before it does not
    /// count. `token` is the one that the author has.
    pub(super) async fn limit(
        &self,
        method: &str,
        answer: BoxFuture<'_, McpAnswer>,
        tool: &str,
        token: CancellationToken,
    ) -> McpAnswer {
        self.begin();
        let mut answer = pin!(answered(method, answer));
        if let Either::Left((answer, _)) = select(answer.as_mut(), pin!(self.over())).await {
            return answer;
        }
        self.has_stopped.set();
        token.cancel();
        let has_ended = timeout(GRACE, answer).await.is_ok();
        let seconds = self.longest.as_secs_f32();
        warn!(
            method,
            tool,
            seconds,
            has_ended,
            "a call has passed its deadline; it was cancelled, and its answer is an error"
        );
        #[cfg(feature = "metrics")]
        metrics::counter!("mcp.server.call.deadlines", "mcp.method.name" => method.to_owned())
            .increment(1);
        let item = match self.points {
            Points::Tool => format!("Tool \"{tool}\""),
            Points::Prompt => "The prompt".to_owned(),
            Points::Resource => "The resource".to_owned(),
            Points::Completion => "The completion".to_owned(),
        };
        let text = format!(
            "{item} did not end within {seconds} s and was stopped. A part of its work may be done, so look before you \
             repeat it."
        );
        if self.points == Points::Tool {
            let result = CallToolResult::error(vec![ContentBlock::text(text)]);
            return Ok(McpResponse::CallTool(result.into()));
        }
        Err(ErrorData::internal_error(text, None))
    }
}
