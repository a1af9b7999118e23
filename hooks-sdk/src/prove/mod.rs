//! Proof of delivery: an installed agent client runs once, in a throw-away home with the hooks of a server, against a
//! stand-in for its model service that keeps what it was asked.
//!
//! The command is `hooks prove`. What is public here is what a [`Client`](crate::clients::Client) needs to say how it is
//! started.

mod inside;
mod launch;
mod trial;

pub(crate) use inside::Inside;
pub use launch::{Dialect, Launch};
pub use trial::Trial;
