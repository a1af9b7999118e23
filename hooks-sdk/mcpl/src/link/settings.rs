//! An author's settings for the host's side of a connection.

use std::time::Duration;

use crate::Derived;
use hooks_core::internal::setters;
use hooks_core::{BuildError, Origin};

const TIMEOUT: Duration = Duration::from_secs(30);
const INFERENCE_TIMEOUT: Duration = Duration::from_secs(120);

/// How long the SDK waits for the host, and which older forms it sends for older hosts.
///
/// ```
/// use std::time::Duration;
/// use hooks_sdk::mcpl::McplSettings;
///
/// let settings = McplSettings::new().timeout(Duration::from_secs(10));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct McplSettings {
    timeout: Option<Duration>,
    inference_timeout: Option<Duration>,
    pub(super) silent: Option<Duration>,
    pub(super) turns_of_silent: bool,
    pub(super) array_form: bool,
    /// The place where the author asked for it.
    pub(super) host_state: Option<Origin>,
}

impl McplSettings {
    /// Returns the defaults: 30 s for each request, 120 s for an inference. A host that sends no policy enables no
    /// feature set.
    pub fn new() -> McplSettings {
        McplSettings {
            timeout: None,
            inference_timeout: None,
            silent: None,
            turns_of_silent: false,
            array_form: false,
            host_state: None,
        }
    }

    setters! {
        /// Sets how long the server waits for the answer to each request. It also holds for an inference unless
        /// [`inference_timeout`](McplSettings::inference_timeout) is set.
        fn timeout(mut self, timeout: Duration) { self.timeout = Some(timeout) }

        /// Sets how long the server waits for an inference, including all of its chunks.
        fn inference_timeout(mut self, inference_timeout: Duration) { self.inference_timeout = Some(inference_timeout) }

        /// Enables the feature sets for a 0.4 host that has not sent `featureSets/update` this long after the handshake.
        /// The document asks hosts to send one, and some never do (MCPL 0.4.1 §5.3).
        ///
        /// A set with a hook at `after_inference` stays disabled, because such a hook gets everything that is said. A host that
        /// denied the set may be silent only because it has connected again.
        /// [`enable_turns_of_silent_hosts`](McplSettings::enable_turns_of_silent_hosts) enables these sets, too.
        fn enable_silent_hosts_after(mut self, silent: Duration) { self.silent = Some(silent) }

        /// For a silent host, also enables the sets with a hook at `after_inference`. It has an effect only together with
        /// [`enable_silent_hosts_after`](McplSettings::enable_silent_hosts_after).
        fn enable_turns_of_silent_hosts(mut self) { self.turns_of_silent = true }

        /// In the declaration to hosts of 0.4, writes `featureSets` as an array with each `name` inside, and `channels` as
        /// `true`. In `featureSets/changed`, `added` stays an object keyed by name: these hosts read that.
        ///
        /// Hosts older than 0.4.1 read only this form, and hosts of 0.4.1 misread it. Set it only if all hosts of the
        /// server are older than 0.4.1.
        fn array_form(mut self) { self.array_form = true }

        /// Declares `hostState: true` on the feature set with `rollback`.
        ///
        /// No document has this member. One framework, on 0.4 and on 0.5, keeps the `data` and the `patch` of a state only
        /// for sets that declare it. It keeps one state for the whole server, and sends that state to every tool.
        ///
        /// # Limits
        ///
        /// The server has at most one feature set with `rollback`: a second one would get the state of the first. With two,
        /// `Collected::wrap` and `Hooked::serve` fail.
        #[track_caller]
        fn host_state(mut self) { self.host_state = Some(Origin::here()) }
    }
}

impl McplSettings {
    pub(super) fn deadline(&self) -> Duration {
        self.timeout.unwrap_or(TIMEOUT)
    }

    pub(super) fn inference_deadline(&self) -> Duration {
        let given = self.inference_timeout.or(self.timeout);
        given.unwrap_or(INFERENCE_TIMEOUT)
    }
}

impl McplSettings {
    /// Returns why the settings do not fit a server.
    #[doc(hidden)]
    pub fn problem(&self, derived: &Derived) -> Option<BuildError> {
        let origin = self.host_state?;
        let sets = derived.sets().map(|set| set.definition());
        let names: Vec<String> = sets
            .filter(|set| set.rollback)
            .map(|set| format!("`{}`", set.name))
            .collect();
        (names.len() > 1).then(|| {
            let message = format!(
                "`host_state()` is set, and {} feature sets have rollback: {}; a host that reads `hostState` keeps one \
                 state for all of them",
                names.len(),
                names.join(", ")
            );
            let help = "remove `rollback` from all of them but one, or remove `host_state()`";
            BuildError::new(origin, message, help)
        })
    }
}

impl Default for McplSettings {
    fn default() -> McplSettings {
        McplSettings::new()
    }
}
