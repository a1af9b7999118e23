//! Streamable HTTP: serves a hooked server to many clients, from one process or from many replicas.
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

mod door;
#[cfg(feature = "plugin")]
mod hooks;
mod principal;
mod replicas;
mod server;
mod whole;

pub use door::{Door, DoorService};
#[cfg(feature = "plugin")]
pub use hooks::{HeaderHookService, HeaderHooks};
pub use principal::Principal;
pub use server::{HttpError, Server};
