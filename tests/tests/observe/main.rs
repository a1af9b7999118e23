//! Spans and metrics: what a subscriber and a recorder see of a server with a hook of every protocol.

#[path = "../http/transport/client.rs"]
#[allow(dead_code, reason = "the tests of the transport use all of it")]
mod client;
mod keeper;
mod metered;
mod recorder;
mod spans;
