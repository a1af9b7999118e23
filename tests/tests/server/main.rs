//! What a hooked server says on the wire: handshakes of both generations, hook tools, and bad input.

mod end;
mod flight;
mod generations;
mod handshake;
mod input;
mod panics;
mod questions;
mod server;
mod start_up;
mod tools;
