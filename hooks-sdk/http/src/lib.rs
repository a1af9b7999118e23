//! The HTTP listener of hooks-sdk: connections with limits, and the checks of hosts, origins and tokens, which a server of MCP
//! and a guardian over HTTP share. It knows no MCP.
//!
//! [`HttpError`], `OAuth`, `Issuer` and [`ServerCard`] are its public API. The modules are for the other packages of hooks-sdk, which share its version.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod accept;
#[doc(hidden)]
pub mod bearer;
#[doc(hidden)]
pub mod body;
#[doc(hidden)]
pub mod card;
mod document;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod hosts;
#[doc(hidden)]
pub mod listen;
#[cfg(feature = "oauth")]
#[doc(hidden)]
pub mod oauth;
#[doc(hidden)]
pub mod probe;
#[doc(hidden)]
pub mod refusal;
#[doc(hidden)]
pub mod settings;

pub use card::ServerCard;
pub use error::HttpError;
#[cfg(feature = "oauth")]
pub use oauth::{Issuer, OAuth};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
