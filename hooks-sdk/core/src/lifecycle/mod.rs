//! Server-declared behavioural hooks (SEP-2282): declarations, their negotiation, and the client's side.
//!
//! Authors of servers use `hooks_sdk::lifecycle`, which adds the attributes.

pub mod declaration;
pub mod event;
mod hook;
pub mod host;
pub mod matcher;
pub mod negotiation;
pub mod point;
pub mod problem;
mod problems;
pub mod receive;
pub mod schema;
pub mod strength;
mod variables;

pub use crate::{Answer, Problem, posture};
pub use declaration::{Declaration, HookContent};
pub use event::Event;
pub use hook::{Answering, LifecycleHook};
pub use hooks_text::budget;
use hooks_text::rule::lifecycle as rule;
pub use matcher::{Matcher, Occasion};
pub use negotiation::{ClientHooksCapability, Declarations, ServerHooksCapability};
pub use point::LifecyclePoint;
pub use problems::problems;
#[doc(hidden)]
pub use receive::IsLifecycleInput;
pub use receive::LifecycleInput;
pub use strength::Strength;
pub use variables::Variables;
