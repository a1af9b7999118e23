//! Streamable HTTP: serves a hooked server to many clients, from one process or from many replicas. With the feature
//! `guardian`, it also serves a guardian of AOS, which needs no MCP server.
//!
//! ```no_run,standalone_crate
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

#[cfg(feature = "guardian-server")]
#[doc(inline)]
pub use hooks_aos::GuardianServer;
#[cfg(all(feature = "guardian-server", not(feature = "http")))]
#[doc(inline)]
pub use hooks_http::HttpError;
#[cfg(feature = "http")]
#[doc(inline)]
pub use hooks_server::http::*;
