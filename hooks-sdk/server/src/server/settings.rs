//! The author's settings of a server.

use std::sync::Arc;

#[cfg(feature = "log")]
use super::middleware::log::DecisionLogSettings;
#[cfg(feature = "cli")]
use super::middleware::offer::Offer;
#[cfg(feature = "policy-engine")]
use super::middleware::plugin::Policy;
use super::{
    capability::Places,
    middleware::{guidance::Guidance, session::Sessions},
    pipeline::CallDeadline,
};
#[cfg(feature = "guidance")]
use hooks_core::guidance;
use hooks_core::{BuildError, Registry, internal::debugs, lifecycle, store::Store};

/// The author's settings of a server. [`Collected`](super::Collected), [`Hooked`](super::Hooked) and a program share
/// this type.
#[derive(Clone, Debug, Default)]
pub struct ServerSettings {
    pub(super) places: Places,
    /// The sessions that its gate enforces.
    pub sessions: Option<Sessions>,
    /// How guidance reaches the client.
    pub guidance: Option<Guidance>,
    /// How it takes part in MCPL.
    #[cfg(feature = "mcpl")]
    pub mcpl: Option<hooks_mcpl::McplSettings>,
    /// The policy around each request.
    #[cfg(feature = "policy-engine")]
    pub policy: Option<Policy>,
    /// The guardian that it asks.
    #[cfg(feature = "guardian-local")]
    pub guardian: Option<hooks_aos::GuardianClient>,
    /// The decision log.
    #[cfg(feature = "log")]
    pub log: Option<DecisionLogSettings>,
    /// How long a call may take.
    pub call_deadline: Option<CallDeadline>,
    pub(super) shared: Option<ReplicaSettings>,
    /// The offer of hooks that no client has installed.
    #[cfg(feature = "cli")]
    pub(super) offer: Option<Arc<Offer>>,
    /// Set for a server that runs none of the author's tools.
    #[cfg(feature = "cli")]
    pub(super) dry: Option<Arc<super::dry::Dry>>,
}

/// What the replicas of a server share. A protocol uses it unless the author set something else for that protocol.
#[derive(Clone)]
pub(crate) struct ReplicaSettings {
    pub(crate) store: Arc<dyn Store>,
    /// The keys that seal what clients bring back.
    #[cfg(any(feature = "http", feature = "policy-engine"))]
    pub(crate) keys: Arc<rmcp::model::RequestStateCodec>,
}

debugs!(ReplicaSettings {});

#[cfg(feature = "cli")]
impl ServerSettings {
    /// Replaces each setting that `other` has.
    pub(super) fn override_with(&mut self, other: ServerSettings) {
        macro_rules! replace {
            ($($(#[$feature:meta])? $setting:ident;)+) => {$(
                $(#[$feature])?
                if other.$setting.is_some() {
                    self.$setting = other.$setting;
                }
            )+};
        }
        replace! {
            sessions;
            guidance;
            call_deadline;
            #[cfg(feature = "mcpl")]
            mcpl;
            #[cfg(feature = "policy-engine")]
            policy;
            #[cfg(feature = "guardian-local")]
            guardian;
            #[cfg(feature = "log")]
            log;
        }
    }

    /// Returns the settings of what a server declares and decides. The rest does not matter to who reads its hooks.
    pub fn of_hooks(&self) -> ServerSettings {
        ServerSettings {
            guidance: self.guidance.clone(),
            #[cfg(feature = "policy-engine")]
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
    #[cfg(feature = "guardian-local")]
    problems.extend(hooks_aos::problems(hooks));
    #[cfg(feature = "mcpl")]
    problems.extend(hooks_mcpl::problems(hooks));
    #[cfg(feature = "policy-engine")]
    problems.extend(hooks_plugin::problems(hooks));
    problems
}

/// Writes the setters that [`Hooked`](super::Hooked) and [`Collected`](super::Collected) have in common.
macro_rules! common_setters {
    ($type:ident) => {
        /// Settings. All servers that one [`Collected`](crate::server::Collected) wraps share what it has, such as sessions.
        ///
        /// What does not fit the hooks or the server is an error of [`Collected::wrap`](crate::server::Collected::wrap), or of
        /// [`Hooked::serve`](crate::server::Hooked::serve). If you serve the server in another way, it answers every request with
        /// an error that names the problem.
        impl<H: rmcp::ServerHandler> $type<H> {
            hooks_core::internal::setters! {
                /// Enforces a session machine on every tool call. The states are the variants of `S`.
                ///
                /// The SDK keeps the sessions in memory, for this handle and its clones. If you create a handle for each
                /// connection or request, give the sessions to [`Collected`](crate::server::Collected::session).
                fn session<S: hooks_core::session::SessionState>(mut self) {
                    self = self.sessions($crate::server::Sessions::of::<S>());
                }

                /// Enforces a session machine as [`session`](Self::session) does, with a machine built at run time, another
                /// store, or other settings.
                fn sessions(mut self, sessions: $crate::server::Sessions) {
                    self = self.set(|settings| settings.sessions = Some(sessions));
                }

                /// Sets how guidance reaches the agent.
                fn guidance(mut self, guidance: $crate::server::Guidance) {
                    self = self.set(|settings| settings.guidance = Some(guidance));
                }

                /// Sets how long the SDK waits for the MCPL host.
                #[cfg(feature = "mcpl")]
                fn mcpl(mut self, mcpl: hooks_mcpl::McplSettings) {
                    self = self.set(|settings| settings.mcpl = Some(mcpl));
                }

                /// Sets how long the author's tools, prompts and resources may take.
                ///
                /// Without this setting, calls over HTTP have a deadline of 120 seconds, and calls on a stream have none.
                fn call_deadline(mut self, deadline: impl Into<$crate::server::CallDeadline>) {
                    self = self.set(|settings| settings.call_deadline = Some(deadline.into()));
                }

                /// Sets the policy around every call, prompt and resource: plugins beside the annotated hooks, and how the
                /// hooks run.
                #[cfg(feature = "policy-engine")]
                fn policy(mut self, policy: $crate::server::Policy) {
                    self = self.set(|settings| settings.policy = Some(policy));
                }

                /// Writes a line before and after each call of a tool, prompt, resource or completion. All wrapped servers
                /// write into one chain.
                #[cfg(feature = "log")]
                fn log(mut self, log: hooks_log::DecisionLog) {
                    let log = $crate::server::internal::DecisionLogSettings::To(log);
                    self = self.set(|settings| settings.log = Some(log));
                }
            }
        }
    };
}
pub(super) use common_setters;
