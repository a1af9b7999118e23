//! The standard streams as a transport.

use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio_util::either::Either;

use super::WireTransport;

/// Where Claude Code tells the servers that it starts the id of its session.
const CLIENT_SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// Standard input and output as a transport with the wire shim.
///
/// A client that starts servers of its own for each of its sessions names the session in the environment;
/// that is then the session of every call.
///
/// Nothing but JSON-RPC may be written to standard output while it serves; logs belong on standard error.
/// Sockets, which clients on Node give to their servers, are made non-blocking.
///
/// # Panics
///
/// On Unix, when called outside a Tokio runtime with I/O enabled.
pub fn stdio()
-> WireTransport<impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static>
{
    let (read, write) = streams();
    let transport = WireTransport::new(read, write);
    match std::env::var(CLIENT_SESSION) {
        Ok(id) if !id.is_empty() => transport.client_session(id),
        _ => transport,
    }
}

#[cfg(unix)]
fn streams() -> (impl AsyncRead, impl AsyncWrite) {
    use std::os::fd::AsFd;

    let sockets = socket(std::io::stdin().as_fd())
        .zip(socket(std::io::stdout().as_fd()))
        .and_then(|(read, write)| Some((non_blocking(read)?, non_blocking(write)?)));
    match sockets {
        Some((read, write)) => (Either::Left(read), Either::Left(write)),
        None => {
            let (read, write) = stdio_pipes();
            (Either::Right(read), Either::Right(write))
        }
    }
}

#[cfg(not(unix))]
use stdio_pipes as streams;

/// The Unix socket that a descriptor is.
#[cfg(unix)]
fn socket(descriptor: std::os::fd::BorrowedFd<'_>) -> Option<std::os::unix::net::UnixStream> {
    let owned = descriptor.try_clone_to_owned().ok()?;
    let stream = std::os::unix::net::UnixStream::from(owned);
    stream.local_addr().is_ok().then_some(stream)
}

/// A thread that waits for a socket which nobody reads could never be ended.
#[cfg(unix)]
fn non_blocking(stream: std::os::unix::net::UnixStream) -> Option<tokio::net::UnixStream> {
    stream.set_nonblocking(true).ok()?;
    tokio::net::UnixStream::from_std(stream).ok()
}
