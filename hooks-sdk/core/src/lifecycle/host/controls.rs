//! The policy of a client: which hooks fire, how many, and how often.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::lifecycle::{Declaration, Strength};

/// A client's policy; the default trusts no server.
///
/// Implements the controls that SEP-2282 lists in "Client behaviour" and "Security Implications".
///
/// ```
/// use std::time::Duration;
/// use hooks_sdk::lifecycle::host::ClientControls;
///
/// let mut controls = ClientControls::default().trusting("memory");
/// controls.max_characters = 4_000;
/// controls.cool_down = Duration::from_secs(300);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClientControls {
    /// The servers that the user has decided on. Every other server is untrusted.
    pub servers: BTreeMap<String, Standing>,
    /// Whether to ignore all hooks of untrusted servers, including static texts.
    pub ignore_untrusted: bool,
    /// Which hooks wait for the user's approval.
    pub approvals: Approvals,
    /// The approvals that the user has given.
    pub approved: Vec<Approval>,
    /// The maximum number of declarations of one server.
    pub max_declarations: usize,
    /// The maximum number of hooks that fire at one event.
    pub max_hooks: usize,
    /// The maximum number of injected characters at one event.
    pub max_characters: usize,
    /// The time after a firing during which the hook does not fire again.
    pub cool_down: Duration,
    /// The maximum number of hooks that fire in a period.
    pub rate: Rate,
    /// The deadline of a context tool.
    pub deadline: Duration,
}

impl Default for ClientControls {
    /// Trusts no server and requires no approval. 100 declarations per server; 10 hooks and 10,000 characters per
    /// event; no cool-down; 60 hooks per minute; 10 s for a context tool.
    fn default() -> ClientControls {
        ClientControls {
            servers: BTreeMap::new(),
            ignore_untrusted: false,
            approvals: Approvals::default(),
            approved: Vec::new(),
            max_declarations: 100,
            max_hooks: 10,
            max_characters: 10_000,
            cool_down: Duration::ZERO,
            rate: Rate {
                hooks: 60,
                window: Duration::from_secs(60),
            },
            deadline: Duration::from_secs(10),
        }
    }
}

impl ClientControls {
    /// Adds a trusted server.
    #[must_use]
    pub fn trusting(mut self, server: impl Into<String>) -> ClientControls {
        self.servers.entry(server.into()).or_default().trust = Trust::Trusted;
        self
    }

    /// Returns the user's decision on `server`.
    pub fn trust(&self, server: &str) -> Trust {
        self.servers
            .get(server)
            .map(|standing| standing.trust)
            .unwrap_or_default()
    }

    /// Returns the effective priority for a priority that `server` declared.
    pub fn effective(&self, server: &str, declared: Strength) -> Strength {
        let standing = self.servers.get(server).copied().unwrap_or_default();
        let downgrade = standing
            .downgrade_required
            .unwrap_or(standing.trust == Trust::Untrusted);
        if downgrade {
            declared.min(Strength::Important)
        } else {
            declared
        }
    }

    pub(super) fn approves(&self, server: &str, declared: Strength, hook: &Declaration) -> bool {
        let asked = match self.approvals {
            Approvals::None => false,
            Approvals::Required => declared == Strength::Required,
            Approvals::All => true,
        };
        !asked
            || self
                .approved
                .iter()
                .any(|approval| approval.server == server && approval.declaration == *hook)
    }
}

/// The user's decision on one server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// Whether the user trusts the server.
    pub trust: Trust,
    /// Whether its `required` hooks count as `important`. Default: only those of an untrusted server.
    pub downgrade_required: Option<bool>,
}

impl Standing {
    /// Makes a decision with this trust, and the default downgrade for it.
    pub fn new(trust: Trust) -> Standing {
        Standing {
            trust,
            downgrade_required: None,
        }
    }
}

/// Whether the user has explicitly trusted a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trust {
    /// Its hooks may call its tools.
    Trusted,
    /// Only its static texts are used.
    #[default]
    Untrusted,
}

/// Which hooks wait for the user's approval before they fire.
///
/// ```
/// use hooks_sdk::lifecycle::host::{Approvals, ClientControls};
///
/// let mut controls = ClientControls::default().trusting("memory");
/// controls.approvals = Approvals::Required;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approvals {
    /// None of them.
    #[default]
    None,
    /// Those that the server declared as `required`, even if the policy downgrades them.
    Required,
    /// All of them.
    All,
}

/// The user's approval of one declaration, word for word. A changed declaration needs a new approval.
///
/// It can be serialized, so that a client can store it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Approval {
    /// The server that declared it.
    pub server: String,
    /// The approved declaration.
    pub declaration: Declaration,
}

impl Approval {
    /// Makes the approval of a declaration of `server`.
    pub fn new(server: impl Into<String>, declaration: Declaration) -> Approval {
        Approval {
            server: server.into(),
            declaration,
        }
    }
}

/// A limit on how often hooks fire, over all servers and events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a count and a time are all that a rate is"
)]
pub struct Rate {
    /// The number of hooks.
    pub hooks: usize,
    /// The period.
    pub window: Duration,
}
