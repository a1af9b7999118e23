//! A hook's context: it can queue work for after the answer, and cannot ask the host for anything.

use std::sync::{Arc, Mutex};

use futures::{FutureExt, future::BoxFuture};

use super::HostInfo;
use crate::{Host, Position, Version};
use hooks_core::internal::{debugs, lock};

tokio::task_local! {
    /// Set while a context hook runs in this task.
    static IN_HOOK: ();
}

/// Runs a context hook. Senders refuse inside it (MCPL 0.4.1 §10.7).
pub(super) async fn in_hook<T>(hook: impl Future<Output = T>) -> T {
    IN_HOOK.scope((), hook).await
}

/// Whether a context hook runs in this task.
pub(super) fn is_in_hook() -> bool {
    IN_HOOK.try_with(|()| ()).is_ok()
}

/// Work that waits until an answer is sent.
pub(super) type DeferredWork = Box<dyn FnOnce(Host) -> BoxFuture<'static, ()> + Send>;

/// A hook's context, beside its event.
///
/// A hook cannot use it to ask the host for anything. The hook itself answers a question of the host, and a hook that
/// asks back may wait for ever (MCPL 0.4.1 §10.7). Pass such work to [`after_answer`](Context::after_answer), which
/// runs it after the answer is sent.
#[derive(Clone)]
pub struct Context {
    version: Version,
    awaited: bool,
    /// The positions at which the host takes injections.
    positions: Vec<Position>,
    host: Arc<HostInfo>,
    work: Arc<Mutex<Vec<DeferredWork>>>,
}

impl Context {
    pub(super) fn new(
        version: Version,
        awaited: bool,
        positions: Vec<Position>,
        host: Arc<HostInfo>,
    ) -> Context {
        Context {
            version,
            awaited,
            positions,
            host,
            work: Arc::default(),
        }
    }

    /// Returns a context without a host, for tests of a hook. Work passed to it is dropped.
    pub fn detached(version: Version) -> Context {
        Context::new(version, true, Position::ALL.to_vec(), Arc::default())
    }

    /// Returns the version of MCPL that the host speaks.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Returns the name that the host gave itself in the handshake. Two hosts may have the same name.
    pub fn host_name(&self) -> Option<&str> {
        self.host.name.as_deref()
    }

    /// Returns the name of the authenticated sender of the handshake. It is `None` on standard
    /// input and output, and without the setting `principal` over HTTP.
    pub fn principal(&self) -> Option<&str> {
        self.host.principal.as_deref()
    }

    /// Returns the server's value of type `T` for this connection. The first call makes it, and it ends with the
    /// connection.
    ///
    /// Over HTTP and WebSocket, one value of the server serves every connection. What belongs to one host is kept here.
    /// A tool reaches the same value by [`Host::connection_data`].
    pub fn connection_data<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.host.data.get()
    }

    /// Whether the host waits for an answer: it sent a request, not a notification.
    pub fn is_awaited(&self) -> bool {
        self.awaited
    }

    /// Whether the host takes an injection at a position. A 0.5 host grants each position; a 0.4 host takes all.
    pub fn may_inject(&self, position: Position) -> bool {
        self.positions.contains(&position)
    }

    /// Runs `work` in its own task after the answer is sent. For a hook that only observes, that is after the hook has
    /// returned.
    ///
    /// If the connection ends first, the work does not run.
    pub fn after_answer<W, F>(&self, work: W)
    where
        W: FnOnce(Host) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let work: DeferredWork = Box::new(move |host| work(host).boxed());
        lock(&self.work).push(work);
    }

    pub(super) fn take(&self) -> Vec<DeferredWork> {
        std::mem::take(&mut *lock(&self.work))
    }
}

debugs!(Context { version, awaited });

/// The moment from which a feature set is usable: its host has enabled it.
///
/// ```
/// use hooks_sdk::mcpl::Enabled;
///
/// // In a test of a hook, the moment with a plain MCP host.
/// let now = Enabled::detached();
/// assert!(now.host().version().is_none());
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Enabled {
    host: Host,
}

impl Enabled {
    pub(super) fn new(host: Host) -> Enabled {
        Enabled { host }
    }

    /// Returns the moment with a plain MCP host, for tests of a hook.
    pub fn detached() -> Enabled {
        Enabled::new(Host::plain())
    }

    /// Returns the host.
    pub fn host(&self) -> &Host {
        &self.host
    }
}
