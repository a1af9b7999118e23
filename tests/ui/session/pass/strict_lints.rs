//! An author's strictest crate.

#![forbid(unsafe_code, missing_docs)]
#![deny(
    warnings,
    unused,
    nonstandard_style,
    rust_2018_idioms,
    unreachable_pub,
    missing_debug_implementations
)]
#![deny(
    unused_qualifications,
    unused_results,
    single_use_lifetimes,
    let_underscore_drop
)]
#![deny(clippy::all, clippy::pedantic, clippy::nursery)]

use hooks_sdk::prelude::*;

/// The stages of a session.
#[derive(SessionState, Clone, Copy, Debug, PartialEq, Eq)]
#[session(reset(session_clear))]
pub enum Stage {
    /// New.
    #[stage(start, allow(search), next(session_init => Ready))]
    New,
    /// Ready.
    #[stage(allow(any), deny(drop), next(any => Working), text_file = "words/checked.md")]
    Ready,
    /// Working.
    #[stage(allow(search))]
    Working,
}
