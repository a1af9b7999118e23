//! `cargo hooks prove`: an installed agent client runs once, in a throw-away home with the hooks of a server, against a stand-in
//! for its model service that keeps what it was asked.

mod command;
mod gates;
mod judge;
mod launch;
mod launches;
mod marker;
mod prepared;
mod processes;
mod proven;
mod report;
mod run;
mod search;
mod stand_in;
mod trial;
mod words;

pub(crate) use command::Prove;
pub use gates::prove_gates;
pub use judge::{Course, Shown, at_event, of_hook, of_instructions};
pub use launch::{Dialect, Launch, OwnCall};
pub use launches::launch;
pub(crate) use marker::serve as serve_marker;
pub use prepared::{PreparedTrial, Setting, version};
pub use report::{AtEvent, Fate, GateCell, OfHook, OfInstructions, Proof, ProofOutcome};
pub use run::ProgramEnd;
pub use search::{Requests, Where};
pub use stand_in::{PAGE_HOST, Play, StandIn, UNASSIGNED_PAGE, listen, page_certificate};
pub use trial::{Trial, copy};
pub use words::{asks_for_login, last_lines};
