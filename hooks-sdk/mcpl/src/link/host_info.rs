//! What the handshake says of a host.

use serde_json::Value;

use super::connection_data::ConnectionData;

/// What the handshake says of a host.
#[derive(Debug, Default)]
#[doc(hidden)]
pub struct HostInfo {
    /// What the host advertised under `experimental.mcpl`.
    pub advertised: Value,
    /// The host's own name. The host chooses it.
    pub name: Option<String>,
    /// The authenticated sender of the handshake.
    pub principal: Option<String>,
    /// What the server keeps for the connection.
    pub data: ConnectionData,
}
