//! What an author sets for a client of a guardian.

use std::{collections::BTreeSet, fmt, sync::Arc, time::Duration};

use super::{Bypass, Messages, Unseen};
use crate::aos::Agent;

/// The longest time for one question, unless the author sets another.
pub(super) const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) timeout: Duration,
    pub(super) lenient: bool,
    pub(super) agent: Option<Arc<Agent>>,
    pub(super) pass_unseen: BTreeSet<Unseen>,
    pub(super) messages: Option<Messages>,
    pub(super) with_tool_steps: bool,
    pub(super) blocked_text: Option<Arc<str>>,
    pub(super) on_bypass: Option<OnBypass>,
}

type OnBypass = Arc<dyn Fn(&Bypass) + Send + Sync>;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            timeout: TIMEOUT,
            lenient: false,
            agent: None,
            pass_unseen: BTreeSet::new(),
            messages: None,
            with_tool_steps: false,
            blocked_text: None,
            on_bypass: None,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("timeout", &self.timeout)
            .field("lenient", &self.lenient)
            .field("agent", &self.agent.as_ref().map(|agent| &agent.id))
            .field("pass_unseen", &self.pass_unseen)
            .field("messages", &self.messages)
            .finish_non_exhaustive()
    }
}
