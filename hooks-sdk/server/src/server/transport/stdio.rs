//! The transport on standard input and output.

use std::time::Duration;

use futures::StreamExt;
use rmcp::transport::stdio_pipes;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio_util::either::Either;
use tokio_util::{
    io::{ReaderStream, StreamReader},
    sync::CancellationToken,
};

use super::{WireTransport, lines::AT_A_TIME};

/// The environment variable in which Claude Code passes the id of its session to the servers that it starts.
const CLIENT_SESSION: &str = "CLAUDE_CODE_SESSION_ID";

/// How long standard input is still read after the process was told to end.
const LAST_READS: Duration = Duration::from_millis(100);

/// Creates a transport with the wire shim on standard input and output.
///
/// Claude Code starts its own server process for each session, and passes the id of the session in the environment
/// variable `CLAUDE_CODE_SESSION_ID`. If the variable is set and not empty, requests that name no session belong to
/// this session.
///
/// While it serves, write nothing but JSON-RPC to standard output. Write logs to standard error.
///
/// If the streams are sockets, as with clients on Node, the SDK makes them non-blocking.
///
/// # Panics
///
/// On Unix, panics when you call it outside a Tokio runtime with I/O enabled.
pub fn stdio() -> WireTransport {
    let (read, write) = streams();
    of_session(WireTransport::new(read, write))
}

/// As [`stdio`]. When `end` is cancelled, it is as if the client had closed standard input.
#[cfg(feature = "cli")]
pub fn stdio_until(end: CancellationToken) -> WireTransport {
    let (read, write) = streams();
    let end = async move {
        end.cancelled().await;
        // The client may have written before that, and a thread still reads it.
        tokio::time::sleep(LAST_READS).await;
    };
    let read = ReaderStream::with_capacity(read, AT_A_TIME).take_until(Box::pin(end));
    of_session(WireTransport::new(StreamReader::new(read), write))
}

/// Declares the session of Claude Code, if that client has started the process.
fn of_session(transport: WireTransport) -> WireTransport {
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

/// Returns the descriptor as a Unix socket, or `None` if it is not one.
#[cfg(unix)]
fn socket(descriptor: std::os::fd::BorrowedFd<'_>) -> Option<std::os::unix::net::UnixStream> {
    let owned = descriptor.try_clone_to_owned().ok()?;
    let stream = std::os::unix::net::UnixStream::from(owned);
    stream.local_addr().is_ok().then_some(stream)
}

/// Makes the socket non-blocking. A blocking write to a socket that nobody reads would hold a thread that nothing can
/// end.
#[cfg(unix)]
fn non_blocking(stream: std::os::unix::net::UnixStream) -> Option<tokio::net::UnixStream> {
    stream.set_nonblocking(true).ok()?;
    tokio::net::UnixStream::from_std(stream).ok()
}
