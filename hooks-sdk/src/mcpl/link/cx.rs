//! What a hook has beside its event: work for after the answer, and nothing that asks the host.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use futures::{FutureExt, future::BoxFuture};

use crate::mcpl::{Host, Position, Version};

tokio::task_local! {
    /// Set while a context hook runs.
    static IN_HOOK: ();
}

/// Runs a context hook, inside which senders refuse (MCPL 0.4.1 §10.7).
pub(super) async fn in_hook<T>(hook: impl Future<Output = T>) -> T {
    IN_HOOK.scope((), hook).await
}

/// Whether a context hook runs in this task.
pub(super) fn is_in_hook() -> bool {
    IN_HOOK.try_with(|()| ()).is_ok()
}

/// Work that waits for an answer to leave.
pub(super) type Work = Box<dyn FnOnce(Host) -> BoxFuture<'static, ()> + Send>;

/// The positions at which a host takes injections.
#[derive(Clone, Copy, Debug)]
pub(super) struct Granted([bool; 3]);

impl Granted {
    pub(super) fn all() -> Granted {
        Granted([true; 3])
    }

    pub(super) fn by(grants: impl Fn(Position) -> bool) -> Granted {
        Granted([Position::System, Position::BeforeUser, Position::AfterUser].map(grants))
    }

    fn has(self, position: Position) -> bool {
        let [system, before_user, after_user] = self.0;
        match position {
            Position::System => system,
            Position::BeforeUser => before_user,
            Position::AfterUser => after_user,
        }
    }
}

/// What a hook has beside its event.
///
/// It has no way to ask the host for anything: a hook is a host's own question, and one that asks back may wait for
/// ever (MCPL 0.4.1 §10.7). [`after_answer`](Context::after_answer) does such work when the answer has left.
#[derive(Clone)]
pub struct Context {
    version: Version,
    awaited: bool,
    positions: Granted,
    work: Arc<Mutex<Vec<Work>>>,
}

impl Context {
    pub(super) fn new(version: Version, awaited: bool, positions: Granted) -> Context {
        Context {
            version,
            awaited,
            positions,
            work: Arc::default(),
        }
    }

    /// A context without a host, for the tests of a hook; what is left for after the answer is dropped.
    pub fn detached(version: Version) -> Context {
        Context::new(version, true, Granted::all())
    }

    /// The version of MCPL that the host speaks.
    pub fn version(&self) -> Version {
        self.version
    }

    /// Whether the host waits for an answer: it sent a request, and no notification.
    pub fn is_awaited(&self) -> bool {
        self.awaited
    }

    /// Whether the host takes an injection at a position: a 0.5 host grants each, a 0.4 host takes all.
    pub fn may_inject(&self, position: Position) -> bool {
        self.positions.has(position)
    }

    /// Does `work` in a task of its own once the answer has left; in a hook that only observes, once it has ended.
    ///
    /// Nothing of it runs when the connection is gone before.
    pub fn after_answer<W, F>(&self, work: W)
    where
        W: FnOnce(Host) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let work: Work = Box::new(move |host| work(host).boxed());
        self.lock().push(work);
    }

    pub(super) fn take(&self) -> Vec<Work> {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Work>> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("version", &self.version)
            .field("awaited", &self.awaited)
            .field("work", &self.lock().len())
            .finish()
    }
}

/// The moment at which a feature set may be used: its host has enabled it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Enabled {
    host: Host,
}

impl Enabled {
    pub(super) fn new(host: Host) -> Enabled {
        Enabled { host }
    }

    /// The moment without a host that speaks MCPL, for the tests of a hook.
    pub fn detached() -> Enabled {
        Enabled::new(Host::plain())
    }

    /// The host.
    pub fn host(&self) -> &Host {
        &self.host
    }
}
