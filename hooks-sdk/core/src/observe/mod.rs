//! Spans and metrics of hooks, requests and steps, and the trace that they belong to.
//!
//! The SDK writes spans by the `tracing` crate, to whichever subscriber the program installs. Without a subscriber they
//! cost a few instructions. With the feature `metrics` it writes counters and histograms by the `metrics` crate. The
//! book's page *Observability* has every name.

#[cfg(feature = "metrics")]
mod metered;
mod run;
mod settings;
mod trace_context;

#[cfg(feature = "metrics")]
pub use self::metered::describe_metrics;
pub use self::{
    settings::{AlreadyObserved, Observe},
    trace_context::TraceContext,
};

#[doc(hidden)]
pub use self::{
    run::{Run, hook, ruled},
    settings::{contents_limit, cut, join, onward},
};

/// The target of every span and event of this page, for a subscriber's filter. They have the level `INFO`.
///
/// No span or event of this target has contents, unless [`Observe::contents`] switches them on. Other events of the SDK,
/// its log, may quote what an author's hook says.
pub const TARGET: &str = "hooks_sdk::trace";
