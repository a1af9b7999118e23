//! The settings of observation. They belong to the process, as its `tracing` subscriber does.

use std::sync::OnceLock;

use tracing::Span;

use super::TraceContext;
use crate::macros::{debugs, setters};

static OBSERVE: OnceLock<Observe> = OnceLock::new();

type Join = Box<dyn Fn(&Span, &TraceContext) + Send + Sync>;
type Current = Box<dyn Fn(&Span) -> Option<TraceContext> + Send + Sync>;

/// Settings of the spans of this process. Programs that keep the defaults need none.
///
/// ```
/// use hooks_sdk::core::observe::Observe;
///
/// // Contents of at most 1,000 bytes each: arguments and results.
/// Observe::new().contents(1_000).install()?;
/// # Ok::<(), hooks_sdk::core::observe::AlreadyObserved>(())
/// ```
#[derive(Default)]
pub struct Observe {
    contents: usize,
    join: Option<Join>,
    current: Option<Current>,
}

/// The process has settings of its spans already.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the settings of spans are installed already, and a process has one")]
#[non_exhaustive]
pub struct AlreadyObserved;

impl Observe {
    /// Makes settings without contents and without traces of other processes.
    pub fn new() -> Observe {
        Observe::default()
    }

    setters! {
        /// Puts contents into spans: the arguments and results of tools, the messages of errors, and the reasons of decisions.
        /// Each has at most `limit` bytes; the rest is cut off.
        ///
        /// By default no span has contents.
        fn contents(mut self, limit: usize) { self.contents = limit }

        /// Connects spans with the traces of other processes.
        ///
        /// `join` makes a new span a child of the trace that its request names, in `_meta` or in the header of its HTTP
        /// request. `current` returns the context of a span, for the questions to a guardian. Both are called only while a
        /// subscriber records the span.
        ///
        /// With `tracing-opentelemetry` these are `OpenTelemetrySpanExt::set_parent` and `context`, with a propagator for the
        /// W3C's words; the memory server of the examples has them in `otlp.rs`.
        fn traces(
            mut self,
            join: impl Fn(&Span, &TraceContext) + Send + Sync + 'static,
            current: impl Fn(&Span) -> Option<TraceContext> + Send + Sync + 'static
        ) {
            self.join = Some(Box::new(join));
            self.current = Some(Box::new(current));
        }
    }

    /// Installs the settings for the whole process.
    ///
    /// # Errors
    ///
    /// The process has settings already.
    pub fn install(self) -> Result<(), AlreadyObserved> {
        OBSERVE.set(self).map_err(|_| AlreadyObserved)
    }
}

debugs!(Observe { contents });

/// Returns how many bytes of each content a span gets. `None` switches contents off.
#[doc(hidden)]
pub fn contents_limit() -> Option<usize> {
    OBSERVE
        .get()
        .map(|observe| observe.contents)
        .filter(|limit| *limit > 0)
}

/// Returns the first `limit` bytes of a text, without half a character.
#[doc(hidden)]
pub fn cut(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Makes the span a child of this trace.
#[doc(hidden)]
pub fn join(span: &Span, context: Option<&TraceContext>) {
    if let (false, Some(context)) = (span.is_disabled(), context)
        && let Some(join) = OBSERVE.get().and_then(|observe| observe.join.as_ref())
    {
        guarded(|| join(span, context));
    }
}

/// Returns the trace for what this span asks of another process: the span's own, if a subscriber gave it one.
#[doc(hidden)]
pub fn onward(span: &Span) -> Option<TraceContext> {
    let current = OBSERVE.get()?.current.as_ref()?;
    if span.is_disabled() {
        return None;
    }
    guarded(|| current(span)).flatten()
}

/// Calls the program's function. A failed trace never fails a request.
fn guarded<T>(call: impl FnOnce() -> T) -> Option<T> {
    let called = crate::dispatch::catch_panic_now(call);
    called
        .map_err(|failure| {
            tracing::error!(
            target: "hooks_sdk::core",
            error = %failure, "a trace was not connected")
        })
        .ok()
}
