//! The wire shim: reads bytes as rmcp's messages, limits and orders them, and writes answers.

pub(in crate::server) mod in_flight;
pub(in crate::server) mod lines;
pub(in crate::server) mod marks;
pub(in crate::server) mod message;
pub(in crate::server) mod message_decisions;
pub(in crate::server) mod normalise;
mod outbox;
pub(in crate::server) mod read;
mod run;
#[cfg(feature = "http")]
pub(crate) mod session;
mod stdio;
pub(in crate::server) mod wire;
pub(in crate::server) mod writer;

/// What the endpoint of HTTP uses of the transport.
#[cfg(feature = "http")]
pub(crate) mod carried {
    pub(crate) use super::{
        lines::without_mark,
        message::Malformed,
        message_decisions::{MessageAction, MessageDirection},
        session::{
            Event, EventKind, EventReader, Exchange, Read, ReplicaId, Session, SessionPeer,
            SessionTransport, read_alone, unreadable,
        },
    };
}

pub use stdio::stdio;
#[cfg(feature = "cli")]
pub use stdio::stdio_until;
pub use wire::WireTransport;
