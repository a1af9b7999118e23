//! Servers of rmcp with hooks: the adapter and the server over streamable HTTP.
//!
//! Authors of servers use `hooks_sdk`, where these modules have the same names.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "http")]
pub mod http;
pub mod server;

/// Not public API: what the commands of `hooks-sdk` use of this crate. It shares its version.
#[doc(hidden)]
pub mod internal {
    #[cfg(feature = "http")]
    pub use crate::http::internal::*;
    pub use crate::server::internal::*;
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
