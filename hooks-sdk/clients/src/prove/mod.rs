//! Proof of delivery: an installed agent client runs once, in a throw-away home with the hooks of a server, against a
//! stand-in for its model service that keeps what it was asked.
//!
//! The command is `hooks prove`. What is public here is what a [`Client`](crate::Client) needs to say how it is
//! started.

mod gated;
mod inside;
mod judge;
mod launch;
mod long;
mod processes;
mod report;
mod run;
mod search;
mod stand_in;
mod trial;
mod words;

pub use gated::{Disturbance, Gated};
pub use inside::{Inside, PROBE, ProbeFiring, firings};
pub use judge::{Course, Shown, at_event, of_hook};
pub use launch::{Compaction, Dialect, Launch, OwnCall};
pub use long::Script;
pub use report::{AtEvent, Deep, Fate, GateCell, OfHook, Proof, ProofOutcome};
pub use run::ProgramEnd;
pub use search::{Requests, Where};
pub use stand_in::{PAGE_HOST, Play, StandIn, UNASSIGNED_PAGE, listen, page_certificate};
pub use trial::Binary;
pub use trial::Trial;
pub use words::{asks_for_login, last_lines};
