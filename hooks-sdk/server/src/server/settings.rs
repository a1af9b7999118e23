//! The author's settings of a server.

use std::sync::Arc;

#[cfg(feature = "log")]
use super::middleware::log::DecisionLogSettings;
#[cfg(feature = "cli")]
use super::middleware::offer::Offer;
#[cfg(feature = "plugin")]
use super::middleware::plugin::Policy;
use super::{
    capability::Places,
    middleware::{
        guidance::Guidance,
        observer::{Called, Observer},
        session::Sessions,
    },
    pipeline::CallDeadline,
};
#[cfg(feature = "guidance")]
use hooks_core::guidance;
use hooks_core::{BuildError, Registry, lifecycle, store::Store};

/// The author's settings of a server. [`Collected`](super::Collected), [`Hooked`](super::Hooked) and a program share
/// this type.
#[derive(Clone, Debug, Default)]
pub struct ServerSettings {
    pub(super) places: Option<Places>,
    /// The sessions that its gate enforces.
    pub sessions: Option<Sessions>,
    /// How guidance reaches the client.
    pub guidance: Option<Guidance>,
    /// How it takes part in MCPL.
    #[cfg(feature = "mcpl")]
    pub mcpl: Option<hooks_mcpl::McplSettings>,
    /// The policy around each request.
    #[cfg(feature = "plugin")]
    pub policy: Option<Policy>,
    /// The guardian that it asks.
    #[cfg(feature = "aos")]
    pub guardian: Option<hooks_aos::GuardianClient>,
    /// The decision log.
    #[cfg(feature = "log")]
    pub log: Option<DecisionLogSettings>,
    pub(super) observer: Option<Observer>,
    /// How long a call may take.
    pub call_deadline: Option<CallDeadline>,
    pub(super) shared: Option<ReplicaSettings>,
    /// The offer of hooks that no client has installed.
    #[cfg(feature = "cli")]
    pub(super) offer: Option<Offer>,
    /// Set for a server that runs none of the author's tools.
    #[cfg(feature = "cli")]
    pub(super) dry: Option<Arc<super::dry::Dry>>,
}

/// What the replicas of a server share. A protocol uses it unless the author set something else for that protocol.
#[derive(Clone)]
pub(crate) struct ReplicaSettings {
    pub(crate) store: Arc<dyn Store>,
    /// The keys that seal what clients bring back.
    #[cfg(any(feature = "http", feature = "plugin"))]
    pub(crate) keys: Arc<rmcp::model::RequestStateCodec>,
}

impl std::fmt::Debug for ReplicaSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl ServerSettings {
    /// Sets the function that the SDK calls when a call has ended.
    pub(super) fn observed_by(&mut self, observer: impl Fn(Called) + Send + Sync + 'static) {
        self.observer = Some(Observer::new(observer));
    }

    /// Replaces each setting that `other` has.
    #[cfg(feature = "cli")]
    pub(super) fn override_with(&mut self, other: ServerSettings) {
        self.sessions = other.sessions.or(self.sessions.take());
        self.guidance = other.guidance.or(self.guidance.take());
        self.call_deadline = other.call_deadline.or(self.call_deadline);
        #[cfg(feature = "mcpl")]
        {
            self.mcpl = other.mcpl.or(self.mcpl);
        }
        #[cfg(feature = "plugin")]
        {
            self.policy = other.policy.or(self.policy.take());
        }
        #[cfg(feature = "aos")]
        {
            self.guardian = other.guardian.or(self.guardian.take());
        }
        #[cfg(feature = "log")]
        {
            self.log = other.log.or(self.log.take());
        }
    }

    /// Returns the settings of what a server declares and decides. The rest does not matter to who reads its hooks.
    #[cfg(feature = "cli")]
    pub fn of_hooks(&self) -> ServerSettings {
        ServerSettings {
            guidance: self.guidance.clone(),
            #[cfg(feature = "plugin")]
            policy: self.policy.clone(),
            ..ServerSettings::default()
        }
    }
}

/// Returns the problems of hooks that do not depend on a server.
pub(super) fn problems(hooks: &Registry) -> Vec<BuildError> {
    let mut problems = Vec::new();
    problems.extend(lifecycle::problems(hooks));
    #[cfg(feature = "guidance")]
    problems.extend(guidance::problems(hooks));
    #[cfg(feature = "aos")]
    problems.extend(hooks_aos::problems(hooks));
    #[cfg(feature = "mcpl")]
    problems.extend(hooks_mcpl::problems(hooks));
    #[cfg(feature = "plugin")]
    problems.extend(hooks_plugin::problems(hooks));
    problems
}
