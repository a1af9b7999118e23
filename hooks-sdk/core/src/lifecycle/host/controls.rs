//! The policy of a client: which hooks fire, how many, and how often.

use std::time::Duration;

/// A client's policy.
///
/// Implements the limits that SEP-2282 lists in "Client behaviour" and "Security Implications". Whether a server is trusted
/// is the client's decision before it [registers](super::LifecycleHost::register) the server.
///
/// ```
/// use std::time::Duration;
/// use hooks_sdk::lifecycle::host::ClientControls;
///
/// let mut controls = ClientControls::default();
/// controls.max_characters = 4_000;
/// controls.cool_down = Duration::from_secs(300);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClientControls {
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
    /// 100 declarations per server; 10 hooks and 10,000 characters per event; no cool-down; 60 hooks per minute; 10 s for a context tool.
    fn default() -> ClientControls {
        ClientControls {
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
