//! Replicas of one server on real sockets, over one store: whatever a client begins at one goes on at the others.
//!
//! Everything that depends on time is tested beside the code, where time stands still.

mod answers;
mod completions;
mod desk;
mod guarded;
mod redacted;
mod sessions;
mod stream;
