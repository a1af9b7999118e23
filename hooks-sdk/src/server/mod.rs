//! The adapter to rmcp: the only part of the SDK that names it.

mod capability;
mod collect;
mod declared;
mod flight;
mod gate;
mod guidance;
mod handler;
mod hook_tool;
mod hooked;
mod lines;
mod lock;
#[cfg_attr(not(feature = "mcpl"), path = "without_mcpl.rs")]
mod mcpl;
mod message;
mod normalise;
mod observe;
mod standard;
mod stdio;
mod transport;
mod writer;

pub use rmcp::{self, ServerHandler, ServiceExt};

pub use collect::{Collected, WithHooks, collect};
pub use declared::Declared;
pub use gate::{ServeError, Sessions};
pub use guidance::{Guidance, GuidanceContext, Route};
pub use hooked::Hooked;
pub use observe::Called;
pub use stdio::stdio;
pub use transport::WireTransport;
