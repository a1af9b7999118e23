//! Streamable HTTP: serves a hooked server to many clients, from one process or from many replicas.

mod endpoint;
#[cfg(feature = "policy-engine")]
mod hooks;
mod replicas;
mod server;

#[cfg(feature = "policy-engine")]
pub use hooks::{HeaderHookService, HeaderHooks};
pub use hooks_core::Principal;
pub use hooks_http::{HttpError, ServerCard};
#[cfg(feature = "oauth")]
pub use hooks_http::{Issuer, OAuth};
pub use server::Server;
use server::TransportSettings;

/// What the commands of a program use of a server over HTTP.
pub(crate) mod internal {
    pub use super::server::keyring;
}
