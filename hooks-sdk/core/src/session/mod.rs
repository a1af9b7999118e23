//! Sessions: a state machine for each session, and the store that keeps its state.
//!
//! Authors of servers use `hooks_sdk::session`, which adds the attributes.

pub mod diagram;
mod handle;
mod identity;
mod ledger;

pub use crate::machine::{
    Arrow, CallOutcome, Edge, EdgeGuard, Listing, Machine, MachineBuilder, OPENING_TOOL, Refusal,
    SessionState, Standard, StandardState, State, StateIndex, Step,
};
pub use handle::{Handle, NotAHandle};
pub use identity::Identity;
pub use ledger::{Ledger, Session, TIME_TO_LIVE};
