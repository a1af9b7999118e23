//! The adapter to rmcp. Only this part of the SDK uses rmcp.
#![cfg_attr(
    not(all(
        feature = "guardian-local",
        feature = "cli",
        feature = "guidance",
        feature = "http",
        feature = "log",
        feature = "mcpl",
        feature = "metrics",
        feature = "policy-engine"
    )),
    allow(dead_code, unused, reason = "some code is for a feature that is off")
)]

/// Writes the macros for lines of the log. Their target is the path that authors know.
macro_rules! log_lines {
    ($d:tt $($level:ident)+) => {$(
        macro_rules! $level {
            ($d($d line:tt)+) => {
                tracing::$level!(target: "hooks_sdk::server", $d($d line)+)
            };
        }
    )+};
}
log_lines!($ trace debug info warn error);

mod building;
mod capability;
mod clocks;
mod collect;
mod connection;
#[cfg(feature = "cli")]
mod dry;
mod handler;
mod hooked;
mod in_memory;
mod methods;
mod middleware;
mod order;
mod pipeline;
mod quota;
mod request;
mod serve_error;
mod service;
mod settings;
mod transport;
mod violation;

pub use rmcp::{self, ServerHandler, ServiceExt};

pub use collect::{Collected, WithHooks, collect};
pub use hooked::Hooked;
pub use hooks_core::Declared;
pub(crate) use hooks_core::internal::hex;
use hooks_core::internal::lock;
pub(crate) use methods::{is_listening, method_of};
#[cfg(feature = "policy-engine")]
pub use middleware::plugin::Policy;
#[cfg(all(feature = "http", feature = "policy-engine"))]
pub(crate) use middleware::plugin::{HttpPoints, OuterContexts, header_text};
pub use middleware::{
    guidance::{Guidance, GuidanceContext, Route},
    session::Sessions,
};
pub use pipeline::CallDeadline;
pub use serve_error::ServeError;
pub use service::HookedService;
pub(crate) use service::{SharedService, serving};
pub(crate) use settings::ReplicaSettings;
pub use transport::{WireTransport, stdio};
#[cfg(feature = "http")]
pub(crate) use {request::RestoredHandshake, transport::carried};

/// What the commands of a program use of a server.
pub(crate) mod internal {
    #[cfg(feature = "log")]
    pub use super::middleware::log::DecisionLogSettings;
    #[cfg(all(feature = "cli", feature = "policy-engine"))]
    pub use super::middleware::plugin::ChainParts;
    #[cfg(feature = "log")]
    pub use super::pipeline::count_decision;
    pub use super::{collect::AnyAuthor, in_memory::serve_in_memory, settings::ServerSettings};
    #[cfg(feature = "cli")]
    pub use super::{
        collect::AuthoredHook,
        dry::{Dry, DryAnswer, DryCall, DryDecision, DryStep},
        transport::stdio_until,
    };
}

/// The context of a request, as rmcp gives it to servers.
pub(crate) type McpContext = rmcp::service::RequestContext<rmcp::RoleServer>;

/// Waits until something holds. `changed` wakes all that wait, whenever it may have become so.
pub(crate) async fn wait_until(changed: &tokio::sync::Notify, holds: impl Fn() -> bool) {
    loop {
        // It misses no change that comes after this.
        let changed = changed.notified();
        if holds() {
            return;
        }
        changed.await;
    }
}

/// Returns random bytes. If the operating system has none, this panics, as the standard library's hash maps do.
pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("random bytes from the operating system");
    bytes
}
