//! The HTTP listener of hooks-sdk: connections with limits, and the checks of hosts, origins and tokens, which a server of MCP
//! and a guardian over HTTP share. It knows no MCP.
//!
//! [`HttpError`] is its public API. The modules are for the other packages of hooks-sdk, which share its version.

#[doc(hidden)]
pub mod accept;
#[doc(hidden)]
pub mod bearer;
#[doc(hidden)]
pub mod body;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod hosts;
#[doc(hidden)]
pub mod listen;
#[doc(hidden)]
pub mod probe;
#[doc(hidden)]
pub mod refusal;
#[doc(hidden)]
pub mod settings;

pub use error::HttpError;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
