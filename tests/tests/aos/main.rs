//! AOS over real sockets and in the process.
//!
//! `observed` is the side that asks a guardian, `middleware` is a server that such a guardian guards, and `endpoint` is a
//! guardian over HTTP. `messages` is a server whose guardian sees whole messages, and `serves` is a server that is a
//! guardian.

mod endpoint;
mod messages;
mod middleware;
mod observed;
mod serves;
