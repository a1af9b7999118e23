//! The wire shim: reads bytes as rmcp's messages, limits and orders them, and writes answers.

pub(in crate::server) mod flight;
pub(in crate::server) mod lift;
pub(in crate::server) mod lines;
pub(in crate::server) mod message;
pub(in crate::server) mod methods;
pub(in crate::server) mod normalise;
mod pump;
pub(in crate::server) mod read;
mod stdio;
pub(in crate::server) mod transport;
pub(in crate::server) mod writer;

pub use stdio::stdio;
pub use transport::WireTransport;
