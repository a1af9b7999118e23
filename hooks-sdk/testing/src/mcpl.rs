//! The host's side of MCPL, for the tests of servers: what [`McplHost`] is told and what it tells.

pub use crate::in_memory::{
    InMemory, InMemoryHost as McplHost, InMemoryHostBuilder as McplHostBuilder,
};
#[doc(inline)]
pub use crate::mcpl_host::{
    AuditOutcome, CallError, Chunks, Contribution, Entry, HostCall, McplGrants, Moderated,
    Reaction, RegisterAnswer, Rejected, Returns, StoredCheckpoint, Turn,
};
