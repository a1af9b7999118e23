//! Streamable HTTP: serves a hooked server to many clients, from one process or from many replicas.

mod door;
#[cfg(feature = "plugin")]
mod hooks;
mod principal;
mod replicas;
mod server;

#[cfg(feature = "plugin")]
pub use hooks::{HeaderHookService, HeaderHooks};
pub use principal::Principal;
pub use server::Server;
