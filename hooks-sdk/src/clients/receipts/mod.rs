//! What fired, kept on this machine: for cool-downs, for what is said once in a session, and for statistics.
//!
//! A client runs a hook's command anew at every event, so what a hook remembers has to stand in a file. The
//! [`HookStore`] is one SQLite file of a server's own, which its short-lived hook processes and the running
//! server share. It is never in the way: a call waits 50 ms at most, and where the file is locked, full,
//! read-only, damaged or another's the call fails, the text is delivered all the same and the receipt is lost.
//!
//! What it knows of past firings goes to a [`Host`](crate::lifecycle::host::LifecycleHost) by [`HookStore::recall`], so that
//! cool-down and rate limit hold from one process to the next.
//!
//! Nothing in it leaves the machine, and it holds no text that was delivered unless the caller adds one.
//!
//! ```
//! use hooks_sdk::clients::receipts::{FiringReceipt, HookStore};
//!
//! let folder = tempfile::tempdir()?;
//! let store = HookStore::open(folder.path().join("hooks.db"));
//! // What is to be said once in a session is said by whoever sets the mark.
//! if store.mark("7f3a", "welcome").unwrap_or(true) {
//!     let firing = FiringReceipt::new("welcome", "7f3a", "claude-code", "session_start").characters(120);
//!     _ = store.record_firings(&[firing]);
//! }
//! assert!(!store.mark("7f3a", "welcome")?);
//! assert_eq!(store.last_firings("7f3a")?[0].hook, "welcome");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod asks;
mod enter;
mod error;
mod layout;
mod marks;
mod recall;
mod receipt;
mod retention;
mod stats;
mod store;

pub use error::HookStoreError;
pub use receipt::{CallReceipt, DeliveryReceipt, FiringReceipt, now};
pub use retention::{Pruned, Retention};
pub use stats::{Followed, HookStats};
pub use store::{HookStore, RECEIPTS_VARIABLE, is_off};
