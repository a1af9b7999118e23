//! An author's settings for the host's side of a connection.

use std::time::Duration;

use hooks_core::internal::setters;

const TIMEOUT: Duration = Duration::from_secs(30);
const INFERENCE_TIMEOUT: Duration = Duration::from_secs(120);

/// How long the SDK waits for the host.
///
/// ```
/// use std::time::Duration;
/// use hooks_sdk::mcpl::McplSettings;
///
/// let settings = McplSettings::new().timeout(Duration::from_secs(10));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct McplSettings {
    timeout: Option<Duration>,
    inference_timeout: Option<Duration>,
    pub(super) silent: Option<Duration>,
    pub(super) turns_of_silent: bool,
}

impl McplSettings {
    /// Returns the defaults: 30 s for each request, 120 s for an inference. A host that sends no policy enables no
    /// feature set.
    pub fn new() -> McplSettings {
        McplSettings::default()
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
    }

    pub(super) fn deadline(&self) -> Duration {
        self.timeout.unwrap_or(TIMEOUT)
    }

    pub(super) fn inference_deadline(&self) -> Duration {
        let given = self.inference_timeout.or(self.timeout);
        given.unwrap_or(INFERENCE_TIMEOUT)
    }
}
