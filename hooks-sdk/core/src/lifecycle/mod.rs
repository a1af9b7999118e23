//! Server-declared behavioural hooks (SEP-2282): declarations, their negotiation, and the client's side.
//!
//! Authors of servers use `hooks_sdk::lifecycle`, which adds the attributes.

pub mod budget;
#[doc(hidden)]
pub mod check;
pub mod declaration;
pub mod event;
mod hook;
pub mod host;
pub mod matcher;
pub mod negotiation;
mod occasion;
pub mod point;
pub mod problem;
mod problems;
pub mod receive;
mod rule;
pub mod schema;
mod served;
pub mod strength;
mod variables;

pub use crate::{Answer, Problem, on_failure};
pub use declaration::{Declaration, HookContent};
pub use event::Event;
pub use hook::LifecycleHook;
pub use matcher::Matcher;
pub use negotiation::{ClientHooksCapability, Declarations, ServerHooksCapability};
pub use occasion::Occasion;
pub use point::LifecyclePoint;
pub use problems::problems;
#[doc(hidden)]
pub use receive::IsLifecycleInput;
pub use receive::LifecycleInput;
pub use served::Answering;
pub use strength::Strength;
pub use variables::Variables;
