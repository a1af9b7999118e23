//! A memory server for agents: full-text search in SQLite or PostgreSQL, served as MCP tools.

mod args;
pub mod cli;
mod extract;
mod guidance;
pub mod hooks;
pub mod mcpl;
#[cfg(feature = "otlp")]
pub mod otlp;
pub mod policy;
mod render;
mod server;
mod stage;
pub mod store;
mod tour;

pub use server::Memory;
pub use stage::{OpenSession, Stage};
