//! The adapter to rmcp: the only part of the SDK that names it.

mod collect;
mod declared;
mod door;
mod handler;
mod hooked;
mod lock;
mod rooms;

pub use rmcp::{self, ServerHandler, ServiceExt};

pub use collect::{Collected, WithHooks, collect};
pub use declared::Declared;
pub use door::{WireTransport, stdio};
pub use hooked::Hooked;
pub use rooms::{
    gate::{ServeError, Sessions},
    guidance::{Guidance, GuidanceContext, Route},
    observer::Called,
};
