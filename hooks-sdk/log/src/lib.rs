//! The decision log: a line before each call and a line after it, in hash chains with signatures, so that an edit is found.
//!
//! ```
//! use hooks_log::{DecisionLog, DecisionEntry, Posture, LogVerifier};
//!
//! # let folder = std::env::temp_dir().join(format!("hooks-log-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! # let file = folder.join("decisions.jsonl");
//! let log = DecisionLog::to(&file, Posture::Deny);
//! log.add(DecisionEntry::call(log.decision_id(), "tools/call", "delete_note"));
//! log.close(std::time::Duration::from_secs(1));
//!
//! let mut verifier = LogVerifier::new(Vec::new());
//! for line in std::fs::read_to_string(&file).unwrap().lines() {
//!     verifier.line(line.as_bytes());
//! }
//! assert!(verifier.end().is_whole());
//! # std::fs::remove_dir_all(&folder).unwrap();
//! ```
//!
//! A [`DecisionLog`] belongs to a process that runs for long: one thread writes its lines. A [`UserChain`] belongs to
//! processes that end at once, such as `hooks fire`: each appends to the chain of its user, under a lock. [`LogVerifier`]
//! reads both.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod chain;
mod entry;
mod error;
mod file;
mod handle;
mod key;
mod mask;
mod queue;
mod settings;
mod show;
#[cfg(test)]
mod tests;
mod user_chain;
mod verify;
mod writer;

/// Returns the name of a session in a log, made from the key that opens it.
#[doc(hidden)]
pub fn session_name(key: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, key);
    hooks_core::internal::hex(&digest.as_ref()[..12])
}

pub use hooks_core::Posture;

pub use self::{
    entry::{DecisionEntry, LogDecision, LogEnd, LogKind, LogStep, LogStop},
    error::LogError,
    file::files_of,
    handle::DecisionLog,
    key::LogKeys,
    settings::LogSettings,
    show::{LogLine, LogSummary, SummaryRow},
    user_chain::UserChain,
    verify::{ChainEnd, LogFault, LogVerifier, Verified},
};
