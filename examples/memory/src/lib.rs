//! A memory server for agents: full-text search in SQLite, served as MCP tools.

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

pub use server::Memory;
pub use stage::{OpenSession, Stage};
