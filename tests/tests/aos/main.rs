//! AOS over real sockets and in the process.
//!
//! `observed` is the side that asks a guardian, and `endpoint` is a guardian over HTTP.

mod endpoint;
mod observed;
