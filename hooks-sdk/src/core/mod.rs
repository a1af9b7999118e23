//! What every room shares: it knows no protocol, no JSON-RPC and no rmcp.

pub mod answer;
pub mod dispatch;
pub mod error;
pub mod glob;
pub mod hook;
pub mod machine;
pub mod on_failure;
pub mod open;
pub mod point;
pub mod registry;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
pub mod template;
pub mod text;
pub mod timestamp;
pub mod verdict;

pub use answer::Answer;
pub use dispatch::{Failure, Guard, OnFailure};
pub use error::{BuildError, BuildErrors, HookError};
pub use hook::{Hook, Origin, Owner};
pub use open::Open;
pub use point::Point;
pub use registry::{Registry, RegistryBuilder};
pub use timestamp::Timestamp;
pub use verdict::{Verdict, Violation};
