//! The receipts of hooks that fired, kept on this computer: for cool-downs, and for texts that are sent once in a session.
//!
//! A client starts a hook's command anew at every event, so a hook's memory must be in a file. The [`HookStore`] is one
//! SQLite file of a server, which its short-lived hook processes and the running server share. It does not delay a
//! text: a call waits at most 50 ms. If the file is locked, full, read-only, damaged or another program's, the call
//! fails, the text is sent, and the receipt is lost.
//!
//! [`HookStore::recall`] passes earlier firings to a [`LifecycleHost`](hooks_core::lifecycle::host::LifecycleHost), so that
//! cool-down and rate limit apply across processes.
//!
//! The receipts stay on this computer, and hold no texts.
//!
//! ```
//! use hooks_sdk::clients::history::{FiringReceipt, HookStore};
//!
//! let folder = tempfile::tempdir()?;
//! let store = HookStore::open(folder.path().join("hooks.db"));
//! // A text that is sent once in a session is sent by the process that sets the mark.
//! if store.mark("7f3a", "welcome").unwrap_or(true) {
//!     let firing = FiringReceipt::new("welcome", "7f3a", "claude-code", "session_start");
//!     _ = store.record_firings(&[firing]);
//! }
//! assert!(!store.mark("7f3a", "welcome")?);
//! assert_eq!(store.last_firings("7f3a")?[0].hook, "welcome");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod firings;
mod layout;
mod marks;
mod receipt;
mod retention;
mod store;

pub use error::HookStoreError;
pub use receipt::{DeliveryReceipt, FiringReceipt, now};
pub use retention::{Pruned, Retention};
pub use store::{HookStore, RECEIPTS_VARIABLE, is_off};
