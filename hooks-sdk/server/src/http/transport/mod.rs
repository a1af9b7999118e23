//! The body shim: carries over HTTP what rmcp's types drop.

mod accept;
pub(in crate::http) mod answer;
mod body;
mod event;
mod events;
#[cfg(feature = "aos")]
mod filtering;
mod ids;
mod layer;
mod lift;
mod notifications;
mod routing;
mod session_transport;
mod sessions;
#[cfg(not(feature = "aos"))]
mod unfiltered;

use http::{HeaderMap, HeaderName};
use rmcp::model::ProtocolVersion;

#[cfg(not(feature = "aos"))]
use self::unfiltered as filtering;

pub(in crate::http) use ids::ReplicaId;
pub use layer::{TransportLayer, TransportService};
pub(in crate::http) use routing::{Addressed, addressed_to};
pub(in crate::http) use sessions::SessionManager;

/// The headers of MCP. A look-up by a name takes longer by text.
pub(in crate::http) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
pub(in crate::http) const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Returns whether a request names a protocol without sessions. ISO dates compare as text.
pub(in crate::http) fn is_stateless(headers: &HeaderMap) -> bool {
    let version = headers
        .get(VERSION)
        .and_then(|version| version.to_str().ok());
    version.is_some_and(|version| version >= ProtocolVersion::V_2026_07_28.as_str())
}
