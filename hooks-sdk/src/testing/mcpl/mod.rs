//! The host's side of MCPL, for the tests of servers: what [`McplHost`] is told and what it tells.

mod answers;
mod audit;
mod builder;
mod call;
mod channels;
mod connect;
mod contribution;
mod failure;
mod feature_sets;
mod gate;
mod grants;
mod hooks;
mod host;
mod inbound;
mod reaction;
mod script;
mod shared;
mod stored;
mod tools;
mod turn;

pub use audit::{AuditOutcome, Entry};
pub use builder::McplHostBuilder;
pub use call::HostCall;
pub use contribution::{Contribution, Moderated, Rejected};
pub use failure::CallError;
pub use grants::McplGrants;
pub use host::McplHost;
pub use reaction::{Chunks, Reaction};
pub use stored::StoredCheckpoint;
pub use turn::Turn;

/// What a host of 0.4 answers to `channels/register`, for which the document defines nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterAnswer {
    /// `{"registered": [ids]}`.
    #[default]
    Ids,
    /// `{}`.
    Nothing,
    /// `{"results": [{"id", "accepted", "reason"?}]}`, as in 0.5.
    Itemised,
}

/// What calls of tools carry of a stored state (MCPL 0.4.1 §8.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Returns {
    /// The state, or its checkpoint where the server keeps the state to itself.
    #[default]
    State,
    /// The checkpoint only.
    Checkpoint,
    /// Nothing.
    Nothing,
}
