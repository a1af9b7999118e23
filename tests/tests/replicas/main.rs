//! Replicas of one server on real sockets, over one store: whatever a client begins at one goes on at the others.
//!
//! Everything that depends on time is tested beside the code, where time stands still.

mod answers;
mod desk;
mod guarded;
mod sessions;
mod stream;
