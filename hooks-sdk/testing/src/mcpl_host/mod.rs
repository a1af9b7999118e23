//! The host's side of MCPL over byte streams, for gateways and for the tests of servers.
//!
//! [`StreamHost`] connects to a server, negotiates, calls its hooks, tools and channels, and answers its requests. It needs no server of
//! this program.

mod answers;
mod audit;
mod builder;
mod call;
mod channels;
mod connect;
mod connected;
mod feature_sets;
mod gate;
mod grants;
mod hooks;
mod inbound;
mod reaction;
mod shared;
mod stored;
mod tools;
mod turn;

pub use crate::connection::{CallError, ConnectError, Frame, RequestError, Side, ToolAnswer};

#[doc(hidden)]
pub use self::connect::WithoutShim;
pub use self::{
    audit::{AuditOutcome, Entry},
    builder::McplHostBuilder,
    call::HostCall,
    connect::{ByteStream, Connector},
    connected::{McplHost, StreamHost},
    grants::McplGrants,
    hooks::{Contribution, Moderated, Rejected},
    reaction::{Chunks, Reaction},
    stored::StoredCheckpoint,
    turn::Turn,
};

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
