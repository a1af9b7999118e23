//! Plugin hooks around a real server, over rmcp.

mod asking;
mod calls;
mod lists;
mod server;
