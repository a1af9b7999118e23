//! What a client does with the hooks that servers declared.
//!
//! Implements SEP-2282, "Client behaviour", and the controls of "Priority levels and trust", "Rate
//! limiting and context flooding" and "Matcher patterns and information leakage".
//!
//! ```
//! use std::time::Instant;
//!
//! use hooks_sdk::lifecycle::{Event, Occasion, Variables, host::{LifecycleHost, NoTools, ClientPolicy}};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let mut host = LifecycleHost::new(ClientPolicy::default());
//! host.register("memory", &json!({ "declarations": [{
//!     "event": "session_end",
//!     "context": "The session of {project_name} is ending. Store what you learned.",
//!     "priority": "suggestion",
//! }] }));
//! let ending = Occasion::new(Event::SessionEnd, Variables::new().project_name("annal"));
//! let report = host.fire(&ending, &NoTools, Instant::now()).await;
//! assert_eq!(
//!     report.to_string(),
//!     "Hook of the MCP server `memory` (suggestion):\n\
//!      > The session of annal is ending. Store what you learned."
//! );
//! # }
//! ```

mod fire;
mod pace;
mod policy;
mod register;
mod report;
mod tools;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

pub use policy::{Approval, Approvals, ClientPolicy, Rate, Standing, Trust};
pub use register::{DeclarationRefusal, Refused, Registration};
pub use report::{Failed, Injected, Reason, Report, Skipped};
pub use tools::{ContextTools, NoTools};

use super::{Declaration, Event, Priority};
use pace::Pace;

/// The hooks of the servers that one agent session is connected to, and the client's policy for them.
///
/// A host serves one session: cool-downs and the rate limit are counted in it.
#[derive(Debug)]
pub struct LifecycleHost {
    policy: ClientPolicy,
    /// In the order in which they fire.
    hooks: Vec<Held>,
    servers: Vec<Arc<str>>,
    pace: Mutex<Pace>,
    next_key: u64,
}

/// A declaration that was kept.
#[derive(Clone, Debug)]
struct Held {
    /// Identifies the hook in the books of [`Pace`].
    key: u64,
    server: Arc<str>,
    /// Its place in what the server sent.
    index: usize,
    declaration: Declaration,
    event: Event,
    declared: Priority,
    /// What the policy made of the declared priority.
    priority: Priority,
    approved: bool,
}

impl LifecycleHost {
    /// A host without servers.
    pub fn new(policy: ClientPolicy) -> LifecycleHost {
        LifecycleHost {
            policy,
            hooks: Vec::new(),
            servers: Vec::new(),
            pace: Mutex::default(),
            next_key: 0,
        }
    }

    /// The policy, with the approvals given so far.
    pub fn policy(&self) -> &ClientPolicy {
        &self.policy
    }

    /// Enters in the books that a hook fired so long before `now`, for a host that is made anew at every event.
    ///
    /// `index` is the hook's place in what `server` declared. Cool-down and rate limit count it as if it had
    /// fired here. Whether there is such a hook; one that is not held counts for the rate limit alone.
    pub fn fired_before(&self, server: &str, index: usize, ago: Duration, now: Instant) -> bool {
        let found = self
            .hooks
            .iter()
            .find(|held| held.index == index && *held.server == *server);
        let key = found.map(|held| held.key);
        fire::books(&self.pace).recall(&self.policy, key, ago, now);
        found.is_some()
    }
}
