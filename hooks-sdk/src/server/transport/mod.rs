//! The wire shim: reads bytes as rmcp's messages, limits and orders them, and writes answers.

mod asking;
#[cfg(feature = "http")]
pub(crate) mod carried;
mod decided;
pub(in crate::server) mod flight;
#[cfg(feature = "http")]
pub(crate) mod in_use;
pub(in crate::server) mod lift;
pub(in crate::server) mod lines;
pub(in crate::server) mod marks;
pub(in crate::server) mod message;
pub(in crate::server) mod methods;
pub(in crate::server) mod normalise;
mod pump;
pub(in crate::server) mod read;
mod sending;
mod stdio;
pub(in crate::server) mod transport;
pub(in crate::server) mod writer;

use std::sync::Arc;

use rmcp::model::JsonObject;

pub use stdio::stdio;
pub use transport::WireTransport;

/// The mark on an HTTP request that passed the door of HTTP. That door lifts members out of the answer.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    not(feature = "http"),
    allow(dead_code, reason = "only HTTP has such requests")
)]
pub(crate) struct ByDoor {
    /// The members of a call that rmcp's types drop.
    pub(crate) members: Option<Arc<JsonObject>>,
}
