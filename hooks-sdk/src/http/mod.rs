//! Streamable HTTP: serves a hooked server to many clients, from one process or from many replicas.

mod door;
mod hooks;
mod principal;
mod replicas;
mod server;

pub use door::{Door, DoorService};
pub use principal::Principal;
pub use server::Server;
