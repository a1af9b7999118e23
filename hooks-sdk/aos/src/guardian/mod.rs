//! The engine of a guardian: its hooks, step by step, and what they decide.

mod collected;
mod decide;
mod record;
mod respond;
#[cfg(test)]
mod tests;

pub use self::{
    collected::Guardian,
    decide::GuardianFailure,
    record::{DecisionOutcome, DecisionRecord},
    respond::Transported,
};
