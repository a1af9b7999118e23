//! A guardian for agents, as a program: it answers every step of AOS by the rules of a file, writes an audit log, and
//! shows the steps on a live page.
//!
//! It is an example of a guardian without an MCP server, and it is built without rmcp.

pub mod args;
pub mod audit;
mod calls;
pub mod live;
pub mod page;
mod record;
pub mod ruleset;
pub mod server;
