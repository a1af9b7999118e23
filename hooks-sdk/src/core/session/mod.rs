//! The session state machine: which tools a session may call, and which calls move it on.
//!
//! Guidance asks an agent to call a tool first; the machine makes sure of it. A [`Machine`] is frozen
//! once built, knows no session, and is shared by all of them: it is asked with a state, and answers
//! whether a tool may be called there ([`Machine::check`]) and where its call leads ([`Machine::record`]).

mod arrow;
mod builder;
mod graph;
mod machine;
mod refusal;
mod rules;
mod standard;
mod state;
mod tools;
mod tracker;

pub use arrow::Arrow;
pub use builder::MachineBuilder;
pub use machine::{Machine, Outcome, Step};
pub use refusal::Refusal;
pub use rules::{Edge, StateIndex};
pub use standard::{OPENING_TOOL, Standard};
pub use state::{EdgeGuard, State};
pub use tracker::{Listing, StandardState, Tracker, Transition};

use super::BuildErrors;

/// An enum whose variants are a session's states; `#[derive(SessionState)]` writes it.
///
/// The machine's states are named after the variants and stand in their order.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a session's states",
    label = "not a session's states",
    note = "derive `SessionState` for an enum with a variant per state"
)]
pub trait SessionState: Copy + Send + Sync + 'static {
    /// Every state, in the order of the variants.
    const ALL: &'static [Self];

    /// The machine, built once a process.
    ///
    /// # Errors
    ///
    /// Everything that [`MachineBuilder::build`] finds; the derive has checked most of it before.
    fn machine() -> Result<Machine, BuildErrors>;

    /// The state's place in the machine.
    fn index(self) -> StateIndex;

    /// The state at a place; `None` past the last.
    fn at(index: StateIndex) -> Option<Self> {
        Self::ALL.get(index.get()).copied()
    }
}

#[cfg(test)]
mod tests;
