//! The wire shim: reads bytes as rmcp's messages, limits and orders them, and writes answers.

#[cfg(feature = "http")]
pub(crate) mod carried;
pub(in crate::server) mod in_flight;
#[cfg(feature = "http")]
pub(crate) mod in_use;
mod leaves;
pub(in crate::server) mod lift;
pub(in crate::server) mod lines;
pub(in crate::server) mod load;
pub(in crate::server) mod marks;
pub(in crate::server) mod message;
pub(in crate::server) mod message_decisions;
pub(in crate::server) mod methods;
pub(in crate::server) mod normalise;
mod outbox;
pub(in crate::server) mod read;
mod run;
mod stdio;
pub(in crate::server) mod wire;
pub(in crate::server) mod writer;

use std::sync::Arc;

use rmcp::model::JsonObject;

use self::message_decisions::{decided, pending_messages, sending};
use super::{clocks::Clocks, connection::Flag};

pub use stdio::stdio;
#[cfg(feature = "cli")]
pub use stdio::stdio_until;
pub use wire::WireTransport;

/// The mark on an HTTP request that passed the transport of HTTP. That transport lifts members out of the answer.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "only HTTP has such requests")
)]
pub(crate) struct ByTransport {
    /// The members of a call that rmcp's types drop.
    pub(crate) members: Option<Arc<JsonObject>>,
    pub(crate) post: Arc<Post>,
}

/// What the transport of HTTP and the server share about one HTTP request.
#[derive(Debug, Default)]
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "only HTTP has such requests")
)]
pub(crate) struct Post {
    /// Whether the transport of a session has taken the request. That transport then decides about what is sent.
    pub(in crate::server) has_session: Flag,
    /// The time of the call. Progress in the answer to the request extends it.
    pub(in crate::server) clocks: Clocks,
}
