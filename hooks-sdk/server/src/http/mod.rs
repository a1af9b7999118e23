//! Streamable HTTP: serves a hooked server to many clients, from one process or from many replicas. With the feature
//! `guardian`, it also serves a guardian of AOS, which needs no MCP server.
//!
//! ```no_run
//! use hooks_sdk::{http, prelude::*, rmcp::ServerHandler};
//!
//! struct Notes;
//!
//! impl ServerHandler for Notes {}
//!
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! http::Server::new(Notes.with_hooks()?).serve("127.0.0.1:8080").await?;
//! # Ok(())
//! # }
//! ```

#[cfg(all(feature = "http", feature = "plugin"))]
mod hooks;
#[cfg(feature = "http")]
mod replicas;
#[cfg(feature = "http")]
mod server;
#[cfg(feature = "http")]
mod transport;

#[cfg(all(feature = "http", feature = "plugin"))]
pub use hooks::{HeaderHookService, HeaderHooks};
#[cfg(feature = "guardian")]
pub use hooks_aos::GuardianServer;
#[cfg(feature = "http")]
pub use hooks_core::Principal;
pub use hooks_http::HttpError;
#[cfg(feature = "http")]
pub use hooks_http::ServerCard;
#[cfg(feature = "oauth")]
pub use hooks_http::{Issuer, OAuth};
#[cfg(feature = "http")]
pub use server::Server;
#[cfg(feature = "cli")]
pub(crate) use server::SharedStore;
#[cfg(feature = "http")]
pub use transport::{TransportLayer, TransportService};
