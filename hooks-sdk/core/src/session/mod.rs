//! Sessions: a state machine for each session, and the store that keeps its state.
//!
//! There are three ways to make a [`Machine`]: `#[derive(SessionState)]` on an enum, [`Machine::builder`] at
//! run time, and [`Machine::standard`] for the guidance document's machine. A [`Ledger`] keeps the sessions of
//! one machine in a [`Store`](crate::store::Store). `Hooked::session` of the rmcp adapter enforces the machine
//! on every `tools/call`.
//!
//! ```
//! use std::sync::Arc;
//! use hooks_sdk::{session::{Handle, Identity, Ledger, Machine, CallOutcome}, store::MemoryStore};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_time().build()?.block_on(async {
//! let ledger = Ledger::new(Machine::standard().build()?, Arc::new(MemoryStore::new()));
//! let key = Identity::Client("conversation 7").key(None);
//!
//! let session = ledger.find(&key).await?;
//! assert!(ledger.machine().check(session.state, "deploy").is_err());
//! ledger.record(&key, session, "session_init", &Default::default(), CallOutcome::Succeeded).await?;
//!
//! let session = ledger.find(&key).await?;
//! ledger.machine().check(session.state, "deploy")?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod diagram;
mod handle;
mod identity;
mod ledger;
mod record;

pub use crate::machine::{
    Arrow, CallOutcome, Edge, EdgeGuard, Listing, Machine, MachineBuilder, OPENING_TOOL, Refusal,
    SessionState, Standard, StandardState, State, StateIndex, Step, Tracker, Transition,
};
pub use handle::{Handle, NotAHandle};
pub use identity::Identity;
pub use ledger::{Ledger, Session, TIME_TO_LIVE};
