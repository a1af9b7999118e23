//! Spans and metrics: what a subscriber and a recorder see of a server with a hook of every protocol.

mod keeper;
mod metered;
mod recorder;
mod spans;
