//! The adapter to rmcp. Only this part of the SDK uses rmcp.

mod capability;
mod clocks;
mod collect;
mod completion;
mod connection;
mod declared;
mod door;
#[cfg(feature = "cli")]
#[cfg_attr(
    not(feature = "plugin"),
    allow(dead_code, reason = "`policy check` needs all of it, and is not built")
)]
mod dry;
mod handler;
mod hooked;
mod hooks;
mod listen;
mod lock;
mod methods;
mod order;
mod progress;
mod request;
mod rooms;
mod serve_error;
mod settings;
mod way;

pub use rmcp::{self, ServerHandler, ServiceExt};

pub use collect::{Collected, WithHooks, collect};
pub use declared::Declared;
#[cfg(feature = "http")]
pub(crate) use door::carried;
pub use door::{WireTransport, stdio};
#[cfg(all(test, feature = "cli"))]
pub(crate) use dry::Desk;
#[cfg(feature = "cli")]
pub(crate) use dry::{Decided, Dry, DryAnswer, DryCall, DryStep};
pub use hooked::Hooked;
#[cfg(feature = "plugin")]
pub use rooms::plugin::Policy;
#[cfg(all(feature = "cli", feature = "plugin"))]
use rooms::plugin::steps as hook_steps;
#[cfg(all(feature = "http", feature = "plugin"))]
pub(crate) use rooms::plugin::{HttpPoints, OuterContexts};
pub use rooms::{
    gate::Sessions,
    guidance::{Guidance, GuidanceContext, Route},
    observer::Called,
};
pub use serve_error::ServeError;
#[cfg(feature = "cli")]
pub(crate) use settings::Settings;
#[cfg(feature = "http")]
pub(crate) use settings::Shared;
pub use way::CallDeadline;
