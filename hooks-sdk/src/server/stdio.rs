//! The standard streams as a transport.

use rmcp::transport::{StdioReader, StdioWriter, stdio_pipes};

use super::WireTransport;

/// Where Claude Code tells the servers that it starts the id of its session.
const CLIENT_SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// Standard input and output as a transport with the wire shim.
///
/// A client that starts servers of its own for each of its sessions names the session in the environment;
/// that is then the session of every call.
///
/// Nothing but JSON-RPC may be written to standard output while it serves; logs belong on standard error.
///
/// # Panics
///
/// On Linux, when called outside a Tokio runtime with I/O enabled.
pub fn stdio() -> WireTransport<StdioReader, StdioWriter> {
    let (read, write) = stdio_pipes();
    let transport = WireTransport::new(read, write);
    match std::env::var(CLIENT_SESSION) {
        Ok(id) if !id.is_empty() => transport.client_session(id),
        _ => transport,
    }
}
