//! Streamable HTTP over real sockets: who is refused and with which words, the limits, health, how the server stops, and
//! what the layers do to real requests.
//!
//! `desk` is the server of these tests.

mod accept;
mod bearer;
mod broken;
mod browsers;
mod desk;
mod ending;
mod health;
mod hosts;
mod limits;
mod overload;
mod paths;
mod points;
mod settings;
mod slow;
mod stop;
mod transport;
mod websocket;
