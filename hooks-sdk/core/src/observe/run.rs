//! One run of a hook, of any protocol: its span, its count and its time.

use futures::{FutureExt, future::Either};
use tracing::{Instrument, Span, field::Empty};

use super::TARGET;
use crate::{Failure, HookError};

/// A hook that is about to run.
#[doc(hidden)]
#[derive(Debug)]
pub struct Run<'r, T> {
    protocol: &'static str,
    point: &'static str,
    id: &'r str,
    outcome: fn(&T) -> &'static str,
    answers: fn(&HookError) -> bool,
}

impl<'r, T> Run<'r, T> {
    /// A hook with this id, at this point of a protocol. The outcome of every answer is `answered`.
    #[doc(hidden)]
    pub fn new(protocol: &'static str, point: &'static str, id: &'r str) -> Run<'r, T> {
        Run {
            protocol,
            point,
            id,
            outcome: |_| "answered",
            answers: |_| false,
        }
    }

    /// Sets which errors of the hook are answers to whoever asked. The hook has not failed then.
    #[doc(hidden)]
    pub fn answers(mut self, answers: fn(&HookError) -> bool) -> Run<'r, T> {
        self.answers = answers;
        self
    }

    /// Returns whether the hook has answered by this failure.
    pub(crate) fn is_answered_by(&self, failure: &Failure) -> bool {
        matches!(failure, Failure::Failed(error) if (self.answers)(error))
    }

    /// Sets the word for an answer: what the hook decided.
    #[doc(hidden)]
    pub fn outcome(mut self, outcome: fn(&T) -> &'static str) -> Run<'r, T> {
        self.outcome = outcome;
        self
    }

    /// Returns the id of the hook.
    #[doc(hidden)]
    pub fn id(&self) -> &'r str {
        self.id
    }
}

impl Failure {
    /// Returns the kind of failure as a word, for `error.type`.
    fn kind(&self) -> &'static str {
        match self {
            Failure::Failed(_) => "error",
            Failure::Panicked(_) => "panic",
            Failure::TimedOut(_) => "timeout",
        }
    }
}

/// Runs a hook inside its span.
#[doc(hidden)]
pub fn hook<T>(
    run: &Run<'_, T>,
    running: impl Future<Output = Result<T, Failure>>,
) -> impl Future<Output = Result<T, Failure>> {
    let Run {
        protocol,
        point,
        id,
        outcome,
        answers,
    } = *run;
    let span = span(protocol, point, id);
    // Most processes trace nothing.
    if cfg!(not(feature = "metrics")) && span.is_disabled() {
        return Either::Left(running);
    }
    #[cfg(feature = "metrics")]
    let began = std::time::Instant::now();
    // Not an `async fn`, which would store the future twice.
    Either::Right(running.instrument(span.clone()).map(move |answer| {
        let (outcome, error) = match &answer {
            Ok(answer) => (outcome(answer), None),
            Err(Failure::Failed(error)) if answers(error) => ("answered", None),
            Err(failure) => ("failed", Some(failure.kind())),
        };
        end(&span, outcome, error);
        #[cfg(feature = "metrics")]
        super::metered::ran(protocol, point, id, outcome, error, Some(began.elapsed()));
        answer
    }))
}

/// Reports a rule without a function, which decided at once.
#[doc(hidden)]
pub fn ruled(protocol: &'static str, point: &'static str, id: &str, outcome: &'static str) {
    end(&span(protocol, point, id), outcome, None);
    #[cfg(feature = "metrics")]
    super::metered::ran(protocol, point, id, outcome, None, None);
}

fn span(protocol: &'static str, point: &'static str, id: &str) -> Span {
    tracing::info_span!(
        target: TARGET,
        "hook",
        otel.name = format_args!("hook {id}"),
        hooks.protocol = protocol,
        hooks.point = point,
        hooks.id = id,
        hooks.outcome = Empty,
        "error.type" = Empty,
        otel.status_code = Empty,
    )
}

fn end(span: &Span, outcome: &'static str, error: Option<&'static str>) {
    if span.is_disabled() {
        return;
    }
    span.record("hooks.outcome", outcome);
    if let Some(error) = error {
        span.record("error.type", error);
        span.record("otel.status_code", "ERROR");
    }
}
