//! What the program does inside of a trial of `cargo hooks prove`: it adds a probe, notes what it answered and which calls its
//! gate was asked about, and fails as the trial wants.

mod gated;
mod inside;

pub use gated::{Disturbance, Gated, was_asked};
pub use inside::{
    Inside, PROBE, ProbeFiring, Said, Unsaid, VARIABLE, firings, now, prepare, set_probe,
};
