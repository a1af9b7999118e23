//! The session state machine: which tools a session may call, and which calls change its state.
//!
//! Guidance asks an agent to call a tool first; the machine enforces it. A [`Machine`] is immutable, and all
//! sessions share it. For a given state, [`Machine::check`] says whether a tool may be called, and
//! [`Machine::record`] where the call leads. The module `session` keeps the state of each session.

mod builder;
mod frozen;
mod graph;
mod refusal;
mod standard;
mod state;
mod submitted;
mod tools;

pub use builder::{Edge, MachineBuilder, StateIndex};
pub use frozen::{Arrow, CallOutcome, Machine, Step};
pub use refusal::Refusal;
pub use standard::{Listing, OPENING_TOOL, Standard, StandardState};
pub use state::{EdgeGuard, State};
#[doc(hidden)]
pub use submitted::{SubmittedStates, linked_states};

use super::BuildErrors;

/// An enum whose variants are a session's states; `#[derive(SessionState)]` implements it.
///
/// The machine's states have the names and the order of the variants.
///
/// ```
/// use hooks_sdk::prelude::*;
///
/// #[derive(SessionState, Clone, Copy)]
/// enum Stage {
///     #[stage(start, next(session_init => Ready))]
///     New,
///     #[stage(allow(any))]
///     Ready,
/// }
///
/// let machine = Stage::machine()?;
/// assert!(!machine.allows(Stage::New.index(), "add_note"));
/// assert!(machine.allows(Stage::Ready.index(), "add_note"));
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a session's states",
    label = "not a session's states",
    note = "derive `SessionState` for an enum with a variant per state"
)]
pub trait SessionState: Copy + Send + Sync + 'static {
    /// All states, in the order of the variants.
    const ALL: &'static [Self];

    /// Returns the machine, which is built once per process.
    ///
    /// # Errors
    ///
    /// The errors of [`MachineBuilder::build`]. The derive reports most of them at compile time.
    fn machine() -> Result<Machine, BuildErrors>;

    /// Returns the state's index in the machine.
    fn index(self) -> StateIndex;

    /// Returns the state at an index, or `None` past the last state.
    fn at(index: StateIndex) -> Option<Self> {
        Self::ALL.get(index.get()).copied()
    }
}

#[cfg(test)]
mod tests;
