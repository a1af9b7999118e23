//! A memory server for agents: SQLite with full-text search, served as MCP tools.

mod args;
pub mod cli;
mod extract;
mod guidance;
pub mod hooks;
pub mod mcpl;
pub mod policy;
mod render;
mod server;
mod stage;
pub mod store;
mod tour;

pub use server::Memory;
pub use stage::{OpenSession, Stage};
