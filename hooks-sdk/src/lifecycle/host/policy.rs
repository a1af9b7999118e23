//! Which hooks a client honours, how many, and how often.

use std::{collections::BTreeMap, time::Duration};

use serde::{Deserialize, Serialize};

use crate::lifecycle::{Declaration, Priority};

/// A client's policy; the default trusts no server.
///
/// Implements the controls that SEP-2282 lists in "Client behaviour" and "Security Implications".
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClientPolicy {
    /// The servers that the user has judged; every other one is untrusted.
    pub servers: BTreeMap<String, Standing>,
    /// Whether untrusted servers' hooks are ignored altogether, their static texts too.
    pub ignore_untrusted: bool,
    /// Which hooks wait for the user's approval.
    pub approvals: Approvals,
    /// The approvals that the user has given.
    pub approved: Vec<Approval>,
    /// How many declarations of one server are kept.
    pub max_declarations: usize,
    /// How many hooks may fire at one event.
    pub max_hooks: usize,
    /// How many characters may be injected at one event.
    pub max_characters: usize,
    /// How long a hook that fired stays silent.
    pub cool_down: Duration,
    /// How many hooks may fire in a while.
    pub rate: Rate,
    /// How long a context tool may take.
    pub deadline: Duration,
}

impl Default for ClientPolicy {
    /// No server trusted, no approval asked; 100 declarations a server, 10 hooks and 10,000 characters an
    /// event, no cool-down, 60 hooks a minute, 10 s for a context tool.
    fn default() -> ClientPolicy {
        ClientPolicy {
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

impl ClientPolicy {
    /// Trusts one server more.
    #[must_use]
    pub fn trusting(mut self, server: impl Into<String>) -> ClientPolicy {
        self.servers.entry(server.into()).or_default().trust = Trust::Trusted;
        self
    }

    /// What the user thinks of `server`.
    pub fn trust(&self, server: &str) -> Trust {
        self.servers
            .get(server)
            .map(|standing| standing.trust)
            .unwrap_or_default()
    }

    /// What a priority declared by `server` counts as.
    pub fn effective(&self, server: &str, declared: Priority) -> Priority {
        let standing = self.servers.get(server).copied().unwrap_or_default();
        let downgrade = standing
            .downgrade_required
            .unwrap_or(standing.trust == Trust::Untrusted);
        if downgrade {
            declared.min(Priority::Important)
        } else {
            declared
        }
    }

    pub(super) fn approves(&self, server: &str, declared: Priority, hook: &Declaration) -> bool {
        let asked = match self.approvals {
            Approvals::None => false,
            Approvals::Required => declared == Priority::Required,
            Approvals::All => true,
        };
        !asked
            || self
                .approved
                .iter()
                .any(|approval| approval.server == server && approval.declaration == *hook)
    }
}

/// How a user stands to one server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Standing {
    /// Whether the user trusts it.
    pub trust: Trust,
    /// Whether its `required` hooks count as `important`; unless said, those of an untrusted server do.
    pub downgrade_required: Option<bool>,
}

impl Standing {
    /// A server with this trust, and the downgrade that follows from it.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Approvals {
    /// None of them.
    #[default]
    None,
    /// Those declared as `required`, whatever the policy makes of that.
    Required,
    /// All of them.
    All,
}

/// The user's approval of one declaration, word for word: a server that changes it needs a new one.
///
/// It serializes, so that a client can keep it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Approval {
    /// The server that declared it.
    pub server: String,
    /// What was approved.
    pub declaration: Declaration,
}

impl Approval {
    /// The approval of what `server` declared.
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
    /// How many hooks.
    pub hooks: usize,
    /// In how long a time.
    pub window: Duration,
}
