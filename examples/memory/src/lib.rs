//! A memory server for agents: SQLite with full-text search, served as MCP tools.

mod args;
pub mod cli;
mod extract;
pub mod hooks;
mod render;
mod server;
pub mod store;
mod tour;

pub use server::Memory;
