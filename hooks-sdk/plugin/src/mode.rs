//! What a hook may do with a request, and the words for it in an attribute.

use hooks_core::internal::{constants, words};
use serde::{Deserialize, Serialize};

words! {
    /// What a hook may do with a request.
    ///
    /// | mode | may stop | may change | a failure | runs |
    /// |---|---|---|---|---|
    /// | `enforce` | yes | yes | its `posture` | in its place |
    /// | `permissive` | no: reported | yes | ignored | in its place |
    /// | `audit` | no: reported | no: reported | ignored | in its place |
    /// | `concurrent` | yes | no | its `posture` | together with its concurrent neighbours |
    /// | `fire_and_forget` | no: reported | no | logged | after the chain allowed the request |
    /// | `transform` | no: reported | yes | its `posture` | in its place |
    /// | `disabled` | no | no | – | never |
    ///
    /// Only configuration files have `transform`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    #[non_exhaustive]
    pub enum PluginMode: "Returns the mode's word, in an attribute and in a configuration file." {
        /// The hook stops and changes requests.
        #[default]
        #[serde(alias = "sequential", alias = "enforce_ignore_error")]
        Enforce = "enforce",
        /// The hook changes requests. If it stops one, that is reported and the request goes on. Its failures are ignored.
        Permissive = "permissive",
        /// The hook does not run.
        Disabled = "disabled",
        /// The hook sees the request. What it would do is reported, and not done.
        Audit = "audit",
        /// The hook runs together with its neighbours in this mode. It may stop the request, and may not change it.
        Concurrent = "concurrent",
        /// The hook runs after the chain allowed the request, on the final payload, and nobody waits for it.
        FireAndForget = "fire_and_forget",
        /// The hook changes requests. If it stops one, that is reported and the request goes on. Its failures count: a
        /// change that must be made is not left out in silence. Only a configuration file can set this mode.
        Transform = "transform",
    }
}

impl PluginMode {
    /// Returns whether a hook in this mode may stop a request.
    pub const fn may_stop(self) -> bool {
        matches!(self, PluginMode::Enforce | PluginMode::Concurrent)
    }

    /// Returns whether a hook in this mode may change a request.
    pub const fn may_change(self) -> bool {
        matches!(
            self,
            PluginMode::Enforce | PluginMode::Permissive | PluginMode::Transform
        )
    }

    /// Returns whether a failure of the hook can stop a request.
    pub const fn may_fail(self) -> bool {
        self.may_stop() || matches!(self, PluginMode::Transform)
    }
}

constants! {
    enforce: PluginMode = Enforce;
    permissive: PluginMode = Permissive;
    disabled: PluginMode = Disabled;
    audit: PluginMode = Audit;
    concurrent: PluginMode = Concurrent;
    fire_and_forget: PluginMode = FireAndForget;
}
