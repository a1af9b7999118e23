//! The parts that every protocol shares. The core knows no protocol, no JSON-RPC and no rmcp.

pub mod answer;
pub(crate) mod callback;
#[cfg(any(feature = "aos", feature = "plugin"))]
pub mod condition;
pub mod dispatch;
pub mod duration;
pub mod error;
pub mod glob;
pub mod hook;
#[cfg(any(all(feature = "aos", feature = "server"), feature = "plugin"))]
pub(crate) mod json_schema;
pub mod machine;
pub mod observe;
pub mod on_failure;
pub mod open;
pub mod point;
pub mod problem;
pub mod registry;
pub(crate) mod rule;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
pub(crate) mod template;
pub mod text;
pub mod timestamp;
pub mod verdict;

pub use answer::Answer;
pub(crate) use callback::{AnyCallback, Callback};
pub(crate) use dispatch::Guard;
pub use dispatch::{Failure, OnFailure};
pub use error::{BuildError, BuildErrors, HookError};
pub use hook::{Hook, Origin, Owner};
pub use open::Open;
pub use point::Point;
pub use problem::Problem;
pub use registry::{Registry, RegistryBuilder};
pub use timestamp::Timestamp;
pub use verdict::{Verdict, Violation};
