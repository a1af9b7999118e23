//! In-memory hosts for authors' own tests: they connect, negotiate, act as the client and record every frame. And the
//! contract of stores, for authors of a store.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg_attr(
    not(all(feature = "mcpl", feature = "server")),
    allow(dead_code, unused_imports, reason = "each host uses a part of it")
)]
mod connection;
#[cfg(feature = "server")]
mod host;
#[cfg(all(feature = "mcpl", feature = "server"))]
mod in_memory;
#[cfg(all(feature = "mcpl", feature = "server"))]
pub mod mcpl;
#[cfg(feature = "mcpl")]
pub mod mcpl_host;
mod store_contract;
#[cfg(feature = "server")]
mod user;

pub use connection::{CallError, ConnectError, Frame, RequestError, Side, ToolAnswer};
#[cfg(feature = "server")]
pub use host::{TestHost, TestHostBuilder};
#[cfg(all(feature = "mcpl", feature = "server"))]
pub use mcpl::{McplHost, McplHostBuilder};
pub use store_contract::store_contract;

#[cfg(all(doctest, feature = "mcpl"))]
#[doc = include_str!("../README.md")]
struct Readme;
