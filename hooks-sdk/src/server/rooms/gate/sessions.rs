//! What an author says about the sessions of a server.

use std::{borrow::Cow, fmt, sync::Arc, time::Duration};

use rmcp::{RoleServer, service::RequestContext};

use crate::{
    core::BuildErrors,
    session::{Ledger, Machine, SessionState, TIME_TO_LIVE},
    store::{MemoryStore, Store},
};

/// How long a call waits for earlier ones of its session, unless told.
const WAIT: Duration = Duration::from_secs(30);

/// The name of the argument that carries a session's handle, unless told.
const ARGUMENT: &str = "session";

/// Whose request it is.
pub(super) type Principal =
    Arc<dyn Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync>;

/// The sessions of a server: the machine they run on, where they are kept, and for how long.
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
    pub(super) principal: Option<Principal>,
}

impl Sessions {
    /// Sessions whose states are the variants of `S`.
    pub fn of<S: SessionState>() -> Sessions {
        Sessions::from(S::machine())
    }

    /// Sessions on a machine built at run time.
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

    /// Where sessions are kept; in this process's memory unless told.
    pub fn store(mut self, store: impl Store) -> Sessions {
        self.store = Some(Arc::new(store));
        self
    }

    /// The machine, if it is sound.
    pub fn machine(&self) -> Option<Machine> {
        self.machine.as_ref().ok().cloned()
    }

    /// Where sessions are kept unless a store was named.
    pub fn store_if_none(mut self, store: impl Store) -> Sessions {
        self.store.get_or_insert_with(|| Arc::new(store));
        self
    }

    /// Sets how long a session lives after its last call; 24 hours by default.
    ///
    /// It lives at least so long, and at most a sixteenth longer. The calls that count are those of tools that
    /// some state refuses, or that move the session, if they were admitted and not cancelled.
    pub fn time_to_live(mut self, time: Duration) -> Sessions {
        self.time_to_live = time;
        self
    }

    /// The argument in which a call names its session, on protocol 2026-07-28; `session` unless told.
    pub fn argument(mut self, name: impl Into<Cow<'static, str>>) -> Sessions {
        self.argument = name.into();
        self
    }

    /// How long a call waits for earlier ones of its session; 30 s unless told.
    pub fn wait(mut self, longest: Duration) -> Sessions {
        self.wait = longest;
        self
    }

    /// Tells whose request it is, for servers that many users reach. No principal has another's sessions,
    /// not even with the right handle.
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
