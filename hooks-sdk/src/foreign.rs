//! The types of other crates that the public API names, so that your server needs no dependency of its own to name them.
//!
//! ```
//! use hooks_sdk::foreign::{BoxFuture, FutureExt, Value, json};
//!
//! fn answer(arguments: &Value) -> BoxFuture<'_, Value> {
//!     async move { json!({ "given": arguments }) }.boxed()
//! }
//! # _ = answer(&Value::Null);
//! ```
//!
//! Types of rmcp are in `hooks_sdk::rmcp`. The book's page *Stability* says which version of each crate this SDK uses,
//! and when that may change.

pub use futures::{
    future::{BoxFuture, FutureExt},
    stream::{Stream, StreamExt},
};
#[cfg(feature = "include_dir")]
pub use hooks_core::guidance::Dir;
#[cfg(feature = "mcpl")]
pub use hooks_mcpl::wire::PatchOperation;
pub use serde_json::{Map, Number, Value, json};
#[cfg(feature = "server")]
pub use tokio::io::{AsyncRead, AsyncWrite};
pub use tracing::Span;
