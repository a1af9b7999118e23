//! AOS over real sockets and in the process.
//!
//! `observed` is the side that asks a guardian.

mod observed;
