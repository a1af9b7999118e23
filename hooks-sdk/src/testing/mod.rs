//! In-memory hosts for authors' own tests: they connect, negotiate, act as the client and record every frame. And the
//! contracts of stores, for authors of a store.

mod client;
mod connection;
mod contract;
mod frame;
mod host;
mod log_contract;
#[cfg(feature = "mcpl")]
pub mod mcpl;
mod serve;
mod store_contract;
mod tools;
mod user;

pub use connection::RequestError;
pub use frame::{Frame, Side};
pub use host::{ConnectError, TestHost, TestHostBuilder};
pub use log_contract::log_contract;
#[cfg(feature = "mcpl")]
pub use mcpl::{McplHost, McplHostBuilder};
pub use store_contract::store_contract;
pub use tools::ToolAnswer;
