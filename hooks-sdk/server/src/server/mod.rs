//! The adapter to rmcp. Only this part of the SDK uses rmcp.

mod building;
mod capability;
mod clocks;
mod collect;
mod connection;
mod declared;
#[cfg(feature = "cli")]
#[cfg_attr(
    not(feature = "plugin"),
    allow(dead_code, reason = "`policy check` needs all of it, and is not built")
)]
mod dry;
mod handler;
mod hooked;
mod listen;
mod methods;
mod middleware;
mod order;
mod pipeline;
mod progress;
mod quota;
mod request;
mod serve_error;
mod settings;
mod transport;

pub use rmcp::{self, ServerHandler, ServiceExt};

pub use collect::{Collected, WithHooks, collect};
#[cfg(all(test, feature = "cli"))]
pub(crate) use dry::{Desk, HangingDesk};
#[cfg(feature = "cli")]
pub(crate) use dry::{Dry, DryAnswer, DryCall, DryDecision, DryStep};
pub use hooked::Hooked;
pub use hooks_core::Declared;
use hooks_core::internal::lock;
#[cfg(feature = "oauth")]
pub(crate) use methods::is_listening;
#[cfg(all(feature = "cli", feature = "log"))]
pub(crate) use middleware::log::DecisionLogSettings;
#[cfg(feature = "plugin")]
pub use middleware::plugin::Policy;
#[cfg(all(feature = "cli", feature = "plugin"))]
use middleware::plugin::steps as hook_steps;
#[cfg(all(feature = "http", feature = "plugin"))]
pub(crate) use middleware::plugin::{HttpPoints, OuterContexts, RequestPolicy};
pub use middleware::{
    guidance::{Guidance, GuidanceContext, Route},
    observer::Called,
    session::Sessions,
};
pub use pipeline::CallDeadline;
#[cfg(all(feature = "cli", feature = "log", feature = "plugin"))]
pub(crate) use pipeline::count_decision;
pub use serve_error::ServeError;
#[cfg(feature = "http")]
pub(crate) use settings::ReplicaSettings;
#[cfg(feature = "cli")]
pub(crate) use settings::ServerSettings;
#[cfg(feature = "http")]
pub(crate) use transport::carried;
#[cfg(feature = "cli")]
pub(crate) use transport::stdio_until;
pub use transport::{WireTransport, stdio};
