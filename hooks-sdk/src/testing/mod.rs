//! An in-memory host for authors' own tests: it connects, negotiates hooks, fires events and keeps every frame.

mod connection;
mod host;

pub use connection::{Frame, RequestError, Side};
pub use host::{ConnectError, Host, HostBuilder, ToolAnswer};
