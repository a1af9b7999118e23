//! The author's settings of a server's sessions.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use rmcp::{RoleServer, service::RequestContext};

use crate::{
    core::BuildErrors,
    session::{Ledger, Machine, SessionState, TIME_TO_LIVE},
    store::{MemoryStore, Store},
};

/// How long a call waits for earlier calls of its session, by default.
const WAIT: Duration = Duration::from_secs(30);

/// The name of the argument that carries a session's handle, by default.
const ARGUMENT: &str = "session";

/// Returns the principal of a request.
pub(in crate::server) type Principal =
    Arc<dyn Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync>;

/// The sessions of a server: their machine, their store and their time-to-live.
///
/// ```
/// use std::time::Duration;
/// use hooks_sdk::{server::Sessions, session::Machine, store::MemoryStore};
///
/// let machine = Machine::standard().ready("check_reports").build()?;
/// let sessions = Sessions::on(machine)
///     .store(MemoryStore::with_capacity(10_000))
///     .time_to_live(Duration::from_secs(3600));
/// # Ok::<(), hooks_sdk::core::BuildErrors>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct Sessions {
    pub(super) machine: Result<Machine, BuildErrors>,
    store: Option<Arc<dyn Store>>,
    time_to_live: Duration,
    pub(super) argument: Cow<'static, str>,
    pub(super) wait: Duration,
    pub(in crate::server) principal: Option<Principal>,
}

impl Sessions {
    /// Creates sessions whose states are the variants of `S`.
    pub fn of<S: SessionState>() -> Sessions {
        Sessions::from(S::machine())
    }

    /// Creates sessions on a machine that you build at run time.
    pub fn on(machine: Machine) -> Sessions {
        Sessions::from(Ok(machine))
    }

    fn from(machine: Result<Machine, BuildErrors>) -> Sessions {
        Sessions {
            machine,
            store: None,
            time_to_live: TIME_TO_LIVE,
            argument: Cow::Borrowed(ARGUMENT),
            wait: WAIT,
            principal: None,
        }
    }

    /// Sets the store of the sessions. The default is the memory of this process.
    pub fn store(mut self, store: impl Store) -> Sessions {
        self.store = Some(Arc::new(store));
        self
    }

    /// Returns the machine, or `None` if it has build errors.
    pub fn machine(&self) -> Option<Machine> {
        self.machine.as_ref().ok().cloned()
    }

    /// Sets the store of the sessions, if none is set yet.
    pub fn store_if_none(mut self, store: impl Store) -> Sessions {
        self.store.get_or_insert_with(|| Arc::new(store));
        self
    }

    /// Sets how long a session lives after its last call. The default is 24 hours.
    ///
    /// A session lives at least this long, and at most a sixteenth longer. Only some calls renew the time: calls of
    /// tools that some state refuses or that move the session. The gate must have admitted the call, and the client
    /// must not have cancelled it.
    pub fn time_to_live(mut self, time: Duration) -> Sessions {
        self.time_to_live = time;
        self
    }

    /// Sets the argument in which a call names its session on protocol 2026-07-28. The default is `session`.
    pub fn argument(mut self, name: impl Into<Cow<'static, str>>) -> Sessions {
        self.argument = name.into();
        self
    }

    /// Sets how long a call waits for earlier calls of its session. The default is 30 seconds. After this time the gate
    /// answers with a tool error that asks the agent to call again later; the tool does not run.
    pub fn wait(mut self, longest: Duration) -> Sessions {
        self.wait = longest;
        self
    }

    /// Sets the function that returns the principal of a request, for servers that many users share.
    ///
    /// A principal cannot reach the sessions of another principal, not even with the right handle.
    pub fn principal(
        mut self,
        of: impl Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync + 'static,
    ) -> Sessions {
        self.principal = Some(Arc::new(of));
        self
    }

    pub(super) fn ledger(&self, machine: Machine) -> Ledger {
        let store = self
            .store
            .clone()
            .unwrap_or_else(|| Arc::new(MemoryStore::new()));
        Ledger::new(machine, store).time_to_live(self.time_to_live)
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions")
            .field("machine", &self.machine)
            .field("time_to_live", &self.time_to_live)
            .field("argument", &self.argument)
            .field("wait", &self.wait)
            .finish_non_exhaustive()
    }
}
