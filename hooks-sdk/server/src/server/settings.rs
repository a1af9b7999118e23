//! The author's settings of a server.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

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
    pub(super) places: Setting<Places>,
    /// The sessions that its gate enforces.
    pub sessions: Setting<Sessions>,
    /// How guidance reaches the client.
    pub guidance: Setting<Guidance>,
    /// How it takes part in MCPL.
    #[cfg(feature = "mcpl")]
    pub mcpl: Setting<hooks_mcpl::McplSettings>,
    /// The policy around each request.
    #[cfg(feature = "plugin")]
    pub policy: Setting<Policy>,
    /// The guardian that it asks.
    #[cfg(feature = "aos")]
    pub guardian: Setting<hooks_aos::GuardianClient>,
    /// The decision log.
    #[cfg(feature = "log")]
    pub log: Setting<DecisionLogSettings>,
    pub(super) observer: Setting<Observer>,
    /// How long a call may take.
    pub call_deadline: Option<CallDeadline>,
    pub(super) shared: Setting<ReplicaSettings>,
    /// The offer of hooks that no client has installed.
    #[cfg(feature = "cli")]
    pub(super) offer: Setting<Offer>,
    /// Set for a server that runs none of the author's tools.
    #[cfg(feature = "cli")]
    pub(super) dry: Setting<Arc<super::dry::Dry>>,
}

/// A setting, if the author made it, and the number of its last change.
///
/// Every mutable access counts as a change. Two clones have the same number until one of them changes.
#[derive(Clone, Debug)]
pub struct Setting<T> {
    value: Option<T>,
    changed: u64,
}

impl<T> Setting<T> {
    /// Returns the number of the last change. No two changes in this process have the same number.
    pub(super) fn changed(&self) -> u64 {
        self.changed
    }

    /// Takes the other value if there is one.
    #[cfg(feature = "cli")]
    fn override_with(&mut self, other: Setting<T>) {
        if other.value.is_some() {
            *self = other;
        }
    }
}

impl<T> Default for Setting<T> {
    fn default() -> Setting<T> {
        Setting {
            value: None,
            changed: 0,
        }
    }
}

impl<T> Deref for Setting<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.value
    }
}

impl<T> DerefMut for Setting<T> {
    fn deref_mut(&mut self) -> &mut Option<T> {
        static CHANGES: AtomicU64 = AtomicU64::new(1);
        self.changed = CHANGES.fetch_add(1, Ordering::Relaxed);
        &mut self.value
    }
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
        *self.observer = Some(Observer::new(observer));
    }

    /// Replaces each setting that `other` has.
    #[cfg(feature = "cli")]
    pub(super) fn override_with(&mut self, other: ServerSettings) {
        self.sessions.override_with(other.sessions);
        self.guidance.override_with(other.guidance);
        self.call_deadline = other.call_deadline.or(self.call_deadline);
        #[cfg(feature = "mcpl")]
        self.mcpl.override_with(other.mcpl);
        #[cfg(feature = "plugin")]
        self.policy.override_with(other.policy);
        #[cfg(feature = "aos")]
        self.guardian.override_with(other.guardian);
        #[cfg(feature = "log")]
        self.log.override_with(other.log);
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
