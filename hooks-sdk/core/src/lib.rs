//! The parts that the protocols of hooks-sdk share: hooks, the registry that checks them, verdicts, dispatch, sessions and
//! stores. And the two protocols that need nothing else: lifecycle hooks (SEP-2282) and guidance.
//!
//! It knows no rmcp and no JSON-RPC. Servers use it through `hooks_sdk`, whose attributes register hooks; `hooks_sdk::core` has the
//! names of this crate.

#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod answer;
mod callback;
#[cfg(feature = "conditions")]
pub mod condition;
mod declared;
pub mod dispatch;
pub mod error;
mod findings;
pub mod guidance;
pub mod hook;
#[doc(hidden)]
pub mod internal;
mod json;
#[cfg(feature = "json-schema")]
mod json_schema;
pub mod lifecycle;
mod lock;
pub mod machine;
mod macros;
mod object;
pub mod observe;
pub mod open;
pub mod point;
pub mod posture;
mod principal;
pub mod registry;
pub mod session;
#[cfg(feature = "sqlite")]
mod sqlite;
pub mod store;
mod template;
pub mod text;
pub mod timestamp;
#[cfg(feature = "tls")]
mod tls;
pub mod verdict;

pub use answer::Answer;
use callback::{AnyCallback, Callback};
pub use declared::Declared;
pub use dispatch::Failure;
use dispatch::Guard;
pub use error::{BuildError, BuildErrors, HookError};
pub use hook::{Hook, Origin, Owner};
pub use hooks_text::{duration, glob, problem};
pub use open::Open;
pub use point::Point;
pub use posture::Posture;
pub use principal::Principal;
pub use problem::Problem;
pub use registry::{Registry, RegistryBuilder};
pub use timestamp::Timestamp;
pub use verdict::{Verdict, Violation};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
