//! The HTTP server over real sockets: who is refused and with which words, the limits, health, and how it stops.
//!
//! `desk` is the server of these tests, and `client` has the two ways to ask it: whole requests, and raw bytes.

mod bearer;
mod broken;
mod client;
mod desk;
mod health;
mod hosts;
mod limits;
mod overload;
mod settings;
mod slow;
mod stop;
