//! The session gate before the author's tools: it checks which calls a session's state allows, and records the state to
//! which they lead.

mod answer;
mod call;
mod identity;
mod listing;
mod middleware;
mod problems;
mod sessions;
mod signed;

use std::{borrow::Cow, sync::Mutex, time::Duration};

use rmcp::model::Tool;

use self::signed::HandleSeal;
pub(crate) use middleware::GatedRequest;
pub use sessions::Sessions;

use crate::server::{
    lock,
    quota::{Amount, Quota},
    request::TextOfRequest,
};
use hooks_core::{
    BuildErrors, Registry,
    session::{Ledger, OPENING_TOOL},
    store::Key,
};

/// How many sessions one client may have open in the memory of this process. The call that would open a further one is
/// refused.
const MOST_OF_ONE: usize = 10_000;

/// The gate of a server: its sessions, checked and ready to use.
pub(crate) struct SessionGate {
    ledger: Ledger,
    /// What seals the handles, if clients carry their sessions.
    seal: Option<HandleSeal>,
    argument: Cow<'static, str>,
    wait: Duration,
    principal: Option<TextOfRequest>,
    /// The opening tool that the SDK serves, if the machine needs it and the author has none.
    pub(crate) served: Option<Tool>,
    /// Whether the author's `get_tool` works: it returns at least one tool of the machine.
    knows_tools: bool,
    /// The shares of the clients, if the sessions are in the memory of this process.
    shares: Option<Quota<Key>>,
}

impl SessionGate {
    /// Builds the gate. `get_tool` returns the author's tools only.
    /// Returns every setting of the sessions that does not fit the server's hooks and tools.
    pub(crate) fn build(
        sessions: &Sessions,
        registry: &Registry,
        get_tool: &dyn Fn(&str) -> Option<Tool>,
    ) -> Result<SessionGate, BuildErrors> {
        let machine = sessions.machine.clone()?;
        BuildErrors::check(problems::problems(
            &machine,
            &sessions.argument,
            registry,
            get_tool,
        ))?;
        let known = machine.tools().into_iter().filter_map(get_tool);
        let known: Vec<Tool> = known.collect();
        let destructive = known.iter().filter(|tool| is_destructive(tool));
        let machine = machine.with_destructive(destructive.map(|tool| &*tool.name));
        let opens = machine.opening_tools().any(|tool| tool == OPENING_TOOL);
        let served = (opens && get_tool(OPENING_TOOL).is_none()).then(listing::opening_tool);
        let ledger = sessions.ledger(machine);
        let seal = sessions.seal();
        let too_long = seal.as_ref().and_then(|seal| seal.problem(&ledger));
        BuildErrors::check(too_long.into_iter().collect())?;
        let shares = ledger.is_in_memory().then(shares);
        Ok(SessionGate {
            ledger,
            seal,
            argument: sessions.argument.clone(),
            wait: sessions.wait,
            principal: sessions.principal.clone(),
            served,
            knows_tools: !known.is_empty(),
            shares,
        })
    }

    /// Returns how long the store keeps a session after its last call: a sixteenth longer than it lives.
    fn kept_for(&self) -> Duration {
        let lives = self.ledger.lives();
        lives.saturating_add(lives / 16)
    }

    /// Counts a session in no client's share any more, unless another call has opened it meanwhile.
    async fn release_share(&self, session: &Key) {
        if let Some(shares) = &self.shares
            && self
                .ledger
                .find(session)
                .await
                .is_ok_and(|found| !found.is_kept())
        {
            shares.release(session);
        }
    }

    /// Returns whether the server may have no tool of this name, if `get_tool` does not return one.
    ///
    /// A handler written by hand may not implement `get_tool`. The server may then have any tool.
    fn may_be_unknown(&self, name: &str) -> bool {
        self.knows_tools && !self.ledger.machine().names(name)
    }
}

/// Returns the shares of clients. The store bounds their sum.
fn shares() -> Quota<Key> {
    let of_one = Amount {
        entries: MOST_OF_ONE,
        bytes: 0,
    };
    let in_all = Amount {
        entries: usize::MAX,
        bytes: 0,
    };
    Quota::new(of_one, in_all)
}

/// Returns whether the author marked a tool as destructive. An unmarked tool is not destructive, whatever MCP's default
/// is.
fn is_destructive(tool: &Tool) -> bool {
    let annotations = tool.annotations.as_ref();
    annotations.is_some_and(|annotations| annotations.destructive_hint == Some(true))
}

/// The sessions that end with a connection.
#[derive(Debug, Default)]
pub(crate) struct EndWithConnection(Mutex<Vec<(Key, Ledger)>>);

impl EndWithConnection {
    fn add(&self, key: &Key, ledger: &Ledger) {
        let mut ends = lock(&self.0);
        if ends.iter().all(|(each, _)| each != key) {
            ends.push((key.clone(), ledger.clone()));
        }
    }
}

impl Drop for EndWithConnection {
    fn drop(&mut self) {
        let ends = std::mem::take(&mut *lock(&self.0));
        if ends.is_empty() {
            return;
        }
        // Without a runtime, the process is ending, or the sessions expire by themselves.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                for (key, ledger) in ends {
                    if let Err(error) = ledger.close(&key).await {
                        warn!(%error, "the session of a closed connection was not closed");
                    }
                }
            });
        }
    }
}
