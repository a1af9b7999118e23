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

#[cfg(feature = "guardian")]
mod guardian;
#[cfg(all(feature = "http", feature = "plugin"))]
mod hooks;
#[cfg(feature = "http")]
mod principal;
#[cfg(feature = "http")]
mod replicas;
#[cfg(feature = "http")]
mod server;
mod shared;
#[cfg(feature = "http")]
mod transport;

#[cfg(feature = "guardian")]
pub use guardian::GuardianServer;
#[cfg(all(feature = "http", feature = "plugin"))]
pub use hooks::{HeaderHookService, HeaderHooks};
#[cfg(feature = "http")]
pub use principal::Principal;
#[cfg(feature = "http")]
pub use server::Server;
pub use shared::error::HttpError;
#[cfg(feature = "http")]
pub use transport::{TransportLayer, TransportService};
