//! Server-declared behavioural hooks (SEP-2282): declarations, their negotiation, and the client's side.
//!
//! Authors of servers use `hooks_sdk::lifecycle`, which adds the attributes.

pub mod declaration;
mod events;
mod hook;
pub mod host;
pub mod matcher;
pub mod negotiation;
pub mod problem;
mod problems;
pub mod schema;
pub mod strength;
mod variables;

pub use crate::{Answer, Problem, posture};
pub use declaration::{Declaration, HookContent};
#[doc(hidden)]
pub use events::IsLifecycleInput;
pub use events::{Event, LifecycleInput, LifecyclePoint, point};
pub use hook::{Answering, LifecycleHook};
pub use hooks_text::budget;
use hooks_text::rule::lifecycle as rule;
pub use matcher::{Matcher, Occasion};
pub use negotiation::{ClientHooksCapability, Declarations, ServerHooksCapability};
pub use problems::problems;
pub use strength::Strength;
pub use variables::Variables;

/// What an answering hook receives: a struct for each event.
pub mod event {
    pub use super::events::{
        Event, PostRequest, PostToolUse, PreRequest, PreToolUse, SessionEnd, SessionStart,
    };
}
