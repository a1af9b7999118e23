//! The client's side: fires the hooks that servers declared.
//!
//! Implements SEP-2282, "Client behaviour", and the limits of "Rate limiting and context
//! flooding" and "Matcher patterns and information leakage".
//!
//! ```
//! use std::time::Instant;
//!
//! use hooks_sdk::lifecycle::{Event, Occasion, Variables, host::{LifecycleHost, NoTools, ClientControls}};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let mut host = LifecycleHost::new(ClientControls::default());
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

mod controls;
mod fire;
mod pace;
mod register;
mod report;

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use futures::future::BoxFuture;
use serde_json::{Map, Value};

pub use controls::{ClientControls, Rate};
pub use register::{DeclarationRefusal, Refused, Registration};
pub use report::{Failed, Injected, Reason, Report, Skipped};

use super::{Declaration, Event, Strength};
use crate::{HookError, lock::lock};
use pace::Pace;

/// The hooks of the servers that one agent session is connected to, and the client's policy for them.
///
/// A host serves one session, because cool-downs and the rate limit are counted per session.
///
/// ```
/// use hooks_sdk::lifecycle::host::{ClientControls, LifecycleHost};
/// use serde_json::json;
///
/// let mut host = LifecycleHost::new(ClientControls::default());
/// host.register("memory", &json!({ "declarations": [
///     { "event": "session_start", "context": "Look up what is known.", "priority": "suggestion" },
/// ] }));
/// assert_eq!(host.controls().max_hooks, 10);
/// ```
#[derive(Debug)]
pub struct LifecycleHost {
    policy: ClientControls,
    /// In the order in which they fire.
    hooks: Vec<Held>,
    servers: Vec<Arc<str>>,
    pace: Mutex<Pace>,
    next_key: u64,
}

/// A registered declaration.
#[derive(Clone, Debug)]
struct Held {
    /// Identifies the hook in [`Pace`].
    key: u64,
    server: Arc<str>,
    /// Its index in the declarations that the server sent.
    index: usize,
    declaration: Declaration,
    event: Event,
    strength: Strength,
}

impl LifecycleHost {
    /// Makes a host without servers.
    pub fn new(policy: ClientControls) -> LifecycleHost {
        LifecycleHost {
            policy,
            hooks: Vec::new(),
            servers: Vec::new(),
            pace: Mutex::default(),
            next_key: 0,
        }
    }

    /// Returns the policy.
    pub fn controls(&self) -> &ClientControls {
        &self.policy
    }

    /// Records that a hook fired a while before `now`, for a program that makes a new host at every event.
    ///
    /// `index` is the hook's index in the declarations of `server`. Cool-down and rate limit count the firing like
    /// one of this host. Returns whether the hook exists; a firing of an unknown hook counts only for the rate limit.
    pub fn fired_before(&self, server: &str, index: usize, ago: Duration, now: Instant) -> bool {
        let found = self
            .hooks
            .iter()
            .find(|held| held.index == index && *held.server == *server);
        let key = found.map(|held| held.key);
        lock(&self.pace).recall(&self.policy, key, ago, now);
        found.is_some()
    }
}

/// Calls the tools of the connected servers, for hooks.
///
/// It is object safe: a client may pass `&dyn ContextTools`.
///
/// ```
/// use futures::future::BoxFuture;
/// use hooks_sdk::{core::HookError, lifecycle::host::ContextTools};
/// use serde_json::{Map, Value};
///
/// struct Fixed;
///
/// impl ContextTools for Fixed {
///     fn call<'a>(
///         &'a self,
///         server: &'a str,
///         tool: &'a str,
///         _args: Map<String, Value>,
///     ) -> BoxFuture<'a, Result<String, HookError>> {
///         Box::pin(async move { Ok(format!("{tool} of {server}")) })
///     }
/// }
/// ```
pub trait ContextTools: Sync {
    /// Calls `tool` on `server` and returns its result as text.
    ///
    /// At the policy's deadline, the host drops the future. A panic of the future counts as a failure of the hook.
    ///
    /// # Errors
    ///
    /// The server or the tool does not exist, or the tool reported an error.
    fn call<'a>(
        &'a self,
        server: &'a str,
        tool: &'a str,
        args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>>;
}

/// No tools: for a client that uses static texts only.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::exhaustive_structs, reason = "nothing can be added to nothing")]
pub struct NoTools;

impl ContextTools for NoTools {
    fn call<'a>(
        &'a self,
        _server: &'a str,
        _tool: &'a str,
        _args: Map<String, Value>,
    ) -> BoxFuture<'a, Result<String, HookError>> {
        Box::pin(async { Err(HookError::new("this client calls no context tools")) })
    }
}
