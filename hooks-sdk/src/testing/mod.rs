//! In-memory hosts for authors' own tests: they connect, negotiate, act as the client and record every frame.

mod client;
mod connection;
mod frame;
mod host;
#[cfg(feature = "mcpl")]
pub mod mcpl;
mod serve;
mod tools;
mod user;

pub use connection::RequestError;
pub use frame::{Frame, Side};
pub use host::{ConnectError, TestHost, TestHostBuilder};
#[cfg(feature = "mcpl")]
pub use mcpl::{McplHost, McplHostBuilder};
pub use tools::ToolAnswer;
