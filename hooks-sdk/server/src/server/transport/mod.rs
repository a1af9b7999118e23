//! The wire shim: reads bytes as rmcp's messages, limits and orders them, and writes answers.

pub(crate) mod boxed;
pub(crate) mod in_flight;
pub(crate) mod lines;
pub(crate) mod marks;
pub(crate) mod message;
pub(crate) mod message_decisions;
mod outbox;
pub(crate) mod read;
mod run;
#[cfg(feature = "http")]
pub(crate) mod session;
mod stdio;
pub(crate) mod wire;
pub(crate) mod writer;

/// What the endpoint of HTTP uses of the transport.
#[cfg(feature = "http")]
pub(crate) mod carried {
    pub(crate) use super::{
        lines::without_mark,
        message::Malformed,
        message_decisions::{MessageAction, MessageDirection},
        read::PROTOCOL_VERSION,
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
