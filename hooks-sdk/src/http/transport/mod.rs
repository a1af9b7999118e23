//! The body shim: carries over HTTP what rmcp's types drop.
mod addressed;
mod answer;
mod asked;
mod body;
mod event;
mod events;
mod ids;
mod layer;
mod lift;
mod sessions;
mod told;
mod transport;

use http::HeaderName;

pub(in crate::http) use addressed::{Addressed, addressed_to};
pub(in crate::http) use ids::ReplicaId;
pub use layer::{Door, DoorService};
pub(in crate::http) use lift::Exit;
pub(in crate::http) use sessions::SessionManager;

/// The headers of MCP. A look-up by a name takes longer by text.
pub(in crate::http) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(in crate::http) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
