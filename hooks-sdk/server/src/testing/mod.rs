//! In-memory hosts for authors' own tests: they connect, negotiate, act as the client and record every frame. And the
//! contract of stores, for authors of a store.

mod host;
#[cfg(feature = "mcpl")]
mod in_memory;
#[cfg(feature = "mcpl")]
pub mod mcpl;
mod serve;
mod store_contract;
mod user;

pub use hooks_core::connection::{ConnectError, Frame, RequestError, Side, ToolAnswer};
pub use host::{TestHost, TestHostBuilder};
#[cfg(feature = "mcpl")]
pub use mcpl::{McplHost, McplHostBuilder};
pub use store_contract::store_contract;
