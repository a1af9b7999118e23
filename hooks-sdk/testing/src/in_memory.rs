//! The host of MCPL, connected to a server in memory.

use hooks_server::{internal::serve_in_memory, server::ServerHandler};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::mcpl_host::{Connector, McplHost, McplHostBuilder, WithoutShim};

/// A host of MCPL 0.4 or 0.5, connected to one server in memory: a [host](McplHost) whose `connect` takes a server.
///
/// It answers what the server asks like a good host, unless a test scripts something else, and does what
/// MCPL asks of a host. It keeps the frames, an audit log, and what tools reported of their state.
///
/// ```no_run,standalone_crate
/// # async fn run(server: impl hooks_sdk::server::ServerHandler) -> Result<(), Box<dyn std::error::Error>> {
/// use hooks_sdk::{mcpl::Position, testing::{McplHost, mcpl::Turn}};
///
/// let host = McplHost::builder().version("0.4").enable(["memory.*"]).connect(server).await?;
/// let turn = Turn::new("conv_1").user("How is the project?");
/// let contribution = host.before_inference(&turn).await;
/// assert!(contribution.text_at(Position::System).contains("project"));
/// # Ok(())
/// # }
/// ```
pub type InMemoryHost = McplHost<InMemory>;

/// A host of MCPL that is not connected yet.
pub type InMemoryHostBuilder = McplHostBuilder<InMemory>;

/// Serves a server in a task of its own, at the other end of a pipe.
#[derive(Clone, Copy, Debug, Default)]
pub struct InMemory {
    without_shim: bool,
}

impl<S: ServerHandler> Connector<S> for InMemory {
    fn open(
        self,
        server: S,
    ) -> (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ) {
        serve_in_memory(server, !self.without_shim)
    }
}

impl WithoutShim for InMemory {
    fn without_shim(self) -> InMemory {
        InMemory { without_shim: true }
    }
}
