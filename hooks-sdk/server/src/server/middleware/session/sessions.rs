//! The author's settings of a server's sessions.

use std::{borrow::Cow, sync::Arc, time::Duration};

#[cfg(any(feature = "http", feature = "policy-engine"))]
use rmcp::model::RequestStateCodec;
use rmcp::{RoleServer, service::RequestContext};

use super::signed::{HandleKeys, HandleSeal};
use crate::server::request::TextOfRequest;
use hooks_core::{
    BuildErrors,
    internal::{debugs, setters},
    session::{Ledger, Machine, SessionState, TIME_TO_LIVE},
    store::{MemoryStore, Store},
};

/// How long a call waits for earlier calls of its session, by default.
const WAIT: Duration = Duration::from_secs(30);

/// The name of the argument that carries a session's handle, by default.
const ARGUMENT: &str = "session";

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
    pub(crate) machine: Result<Machine, BuildErrors>,
    store: Option<Arc<dyn Store>>,
    keys: Option<HandleKeys>,
    time_to_live: Duration,
    pub(super) argument: Cow<'static, str>,
    pub(super) wait: Duration,
    pub(crate) principal: Option<TextOfRequest>,
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
            keys: None,
            time_to_live: TIME_TO_LIVE,
            argument: Cow::Borrowed(ARGUMENT),
            wait: WAIT,
            principal: None,
        }
    }

    setters! {
        /// Sets the store of the sessions. The default is the memory of this process.
        fn store(mut self, store: impl Store) { self.store = Some(Arc::new(store)) }

        /// Lets clients carry their sessions in signed handles, so that replicas need no common store.
        ///
        /// This is about the sessions that only a handle names: all of protocol 2026-07-28 without an id of the client's
        /// own, and those of a transport that keeps none. Other sessions stay in the [`store`](Sessions::store).
        ///
        /// The handle holds the session's state. It is signed and not secret: the client can read the state, and cannot
        /// change it. Each call that moves the session returns a new handle, which replaces the one before. A handle is
        /// valid for [`time_to_live`](Sessions::time_to_live) after the call that returned it, for the principal to which
        /// it was returned. To change the keys, give every replica both, then seal with the new one, and drop the old one
        /// a time to live later.
        ///
        /// ```
        /// use hooks_sdk::{rmcp::model::RequestStateCodec, server::Sessions, session::Machine};
        ///
        /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
        /// # let secret = [7; 32];
        /// let keys = RequestStateCodec::new_with_keyring("2026-11", [("2026-11", secret)])?;
        /// let sessions = Sessions::on(Machine::standard().build()?).signed(keys);
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// # Limits
        ///
        /// - **An old handle restores the old state.** Nobody remembers which handle is the last one, so a client can send
        ///   an earlier one again, also after a reset. If a transition may happen only once, such as the use of an
        ///   approval, keep the sessions in a store.
        /// - Two calls at the same time with one handle return two handles, of which each knows its own call only.
        /// - A session cannot be ended before its time.
        /// - Servers that share keys and names of states accept each other's handles. Give each server its own keys.
        /// - A handle has at most 4,096 characters. A machine whose names of states do not fit is an error at start-up.
        #[cfg(any(feature = "http", feature = "policy-engine"))]
        fn signed(mut self, keys: RequestStateCodec) { self.keys = Some(Arc::new(keys)) }

        /// Sets the store of the sessions, if none is set yet.
        fn store_if_none(mut self, store: impl Store) { self.store.get_or_insert_with(|| Arc::new(store)) }

        /// Sets how long a session lives after its last call. The default is 24 hours.
        ///
        /// A session lives at least this long, and at most a sixteenth longer. Only some calls renew the time: calls of
        /// tools that some state refuses or that move the session. The gate must have admitted the call, and the client
        /// must not have cancelled it.
        fn time_to_live(mut self, time: Duration) { self.time_to_live = time }

        /// Sets the argument in which a call names its session on protocol 2026-07-28. The default is `session`.
        fn argument(mut self, name: impl Into<Cow<'static, str>>) { self.argument = name.into() }

        /// Sets how long a call waits for earlier calls of its session. The default is 30 seconds. After this time the gate
        /// answers with a tool error that asks the agent to call again later; the tool does not run.
        fn wait(mut self, longest: Duration) { self.wait = longest }

        /// Sets the function that returns the principal of a request, for servers that many users share.
        ///
        /// A principal cannot reach the sessions of another principal, not even with the right handle.
        fn principal(mut self, of: impl Fn(&RequestContext<RoleServer>) -> Option<String> + Send + Sync + 'static) {
            self.principal = Some(Arc::new(of));
        }
    }

    /// Returns the store that the author set.
    #[cfg(all(feature = "cli", feature = "policy-engine"))]
    #[doc(hidden)]
    pub fn own_store(&self) -> Option<Arc<dyn Store>> {
        self.store.clone()
    }

    /// Returns the machine, or `None` if it has build errors.
    pub fn machine(&self) -> Option<Machine> {
        self.machine.as_ref().ok().cloned()
    }

    /// Returns what seals the handles, if clients carry their sessions.
    pub(super) fn seal(&self) -> Option<HandleSeal> {
        self.keys.clone().map(|keys| HandleSeal {
            keys,
            lives: self.time_to_live,
        })
    }

    pub(super) fn ledger(&self, machine: Machine) -> Ledger {
        let store = self
            .store
            .clone()
            .unwrap_or_else(|| Arc::new(MemoryStore::new()));
        Ledger::new(machine, store).time_to_live(self.time_to_live)
    }
}

debugs!(Sessions {
    machine,
    time_to_live,
    argument,
    wait
});
