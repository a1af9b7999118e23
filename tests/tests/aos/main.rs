//! AOS over real sockets and in the process.
//!
//! `observed` is the side that asks a guardian, and `station` a server that such a guardian guards.

#[path = "../session/http/client.rs"]
#[allow(dead_code, reason = "the tests of sessions use all of it")]
mod client;
mod observed;
mod station;
