//! The gate before an author's tools: which calls a session's state allows, and where they lead it.

mod answer;
mod author;
mod call;
mod identity;
mod listing;
mod problems;
mod remembered;
mod sessions;
mod ticket;

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use rmcp::model::Tool;

pub(in crate::server) use author::Gated;
pub use author::ServeError;
pub(in crate::server) use identity::{needs_handle, own_client_session, own_session};
pub(in crate::server) use remembered::Reported;
use sessions::Principal;
pub use sessions::Sessions;
pub(in crate::server) use ticket::{Connection, Ticket};

use crate::{
    core::{BuildErrors, Registry},
    session::{Ledger, OPENING_TOOL},
};

/// What a call did to its session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Change {
    /// It is as it was, or in another state.
    None,
    /// It was opened.
    Opened,
    /// It was ended.
    Ended,
}

/// A server's sessions, ready to be asked.
pub(in crate::server) struct Gate {
    ledger: Ledger,
    argument: Cow<'static, str>,
    wait: Duration,
    principal: Option<Principal>,
    /// The opening tool, when the machine needs it and the author has none.
    served: Option<Tool>,
    /// Whether the author's `get_tool` is known to work: it knows a tool of the machine's.
    knows_tools: bool,
}

/// Sessions that all servers of one kind share; they are looked at with the first one.
#[derive(Debug)]
pub(in crate::server) struct Shared {
    sessions: Sessions,
    gate: OnceLock<Arc<Gate>>,
}

impl Shared {
    pub(in crate::server) fn new(sessions: Sessions) -> Shared {
        Shared {
            sessions,
            gate: OnceLock::new(),
        }
    }

    /// The gate, if the sessions fit the server's hooks and tools.
    pub(in crate::server) fn gate(
        &self,
        registry: &Registry,
        get_tool: &dyn Fn(&str) -> Option<Tool>,
    ) -> Result<Arc<Gate>, BuildErrors> {
        if let Some(gate) = self.gate.get() {
            return Ok(gate.clone());
        }
        let gate = Gate::prepare(&self.sessions, registry, get_tool)?;
        Ok(self.gate.get_or_init(|| Arc::new(gate)).clone())
    }
}

impl Gate {
    /// `get_tool` knows the author's tools only.
    pub(in crate::server) fn prepare(
        sessions: &Sessions,
        registry: &Registry,
        get_tool: &dyn Fn(&str) -> Option<Tool>,
    ) -> Result<Gate, BuildErrors> {
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
        Ok(Gate {
            ledger: sessions.ledger(machine),
            argument: sessions.argument.clone(),
            wait: sessions.wait,
            principal: sessions.principal.clone(),
            served,
            knows_tools: !known.is_empty(),
        })
    }

    /// Whether the server may have no tool of this name, given that `get_tool` does not know one.
    ///
    /// A handler written by hand may not implement `get_tool`; then any tool may be there.
    pub(in crate::server) fn may_be_unknown(&self, name: &str) -> bool {
        self.knows_tools && !self.ledger.machine().names(name)
    }

    /// How long a session lives after its last call.
    pub(in crate::server) fn time_to_live(&self) -> Duration {
        self.ledger.lives()
    }

    /// The tool of this name that the gate serves itself.
    pub(in crate::server) fn served(&self, name: &str) -> Option<&Tool> {
        self.served.as_ref().filter(|tool| tool.name == name)
    }
}

/// Whether the author marked a tool as destructive; unmarked tools are not, whatever MCP's default says.
fn is_destructive(tool: &Tool) -> bool {
    let annotations = tool.annotations.as_ref();
    annotations.is_some_and(|annotations| annotations.destructive_hint == Some(true))
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate")
            .field("ledger", &self.ledger)
            .field("argument", &self.argument)
            .finish_non_exhaustive()
    }
}
