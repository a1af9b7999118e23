//! What a hook may do with a request, and the words for it in an attribute.

use serde::{Deserialize, Serialize};

/// What a hook may do with a request.
///
/// | mode | may stop | may change | a failure | runs |
/// |---|---|---|---|---|
/// | `enforce` | yes | yes | its `on_failure` | in its place |
/// | `permissive` | no: reported | yes | ignored | in its place |
/// | `audit` | no: reported | no: reported | ignored | in its place |
/// | `concurrent` | yes | no | its `on_failure` | together with its concurrent neighbours |
/// | `fire_and_forget` | no: reported | no | logged | after the chain allowed the request |
/// | `transform` | no: reported | yes | its `on_failure` | in its place |
/// | `disabled` | no | no | – | never |
///
/// `transform` stands in configuration files only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PluginMode {
    /// The hook stops and changes requests.
    #[default]
    Enforce,
    /// The hook changes requests. If it stops one, that is reported and the request goes on. Its failures are ignored.
    Permissive,
    /// The hook does not run.
    Disabled,
    /// The hook sees the request. What it would do is reported, and not done.
    Audit,
    /// The hook runs together with its neighbours in this mode. It may stop the request, and may not change it.
    Concurrent,
    /// The hook runs after the chain allowed the request, on the final payload, and nobody waits for it.
    FireAndForget,
    /// The hook changes requests. If it stops one, that is reported and the request goes on. Its failures count: a
    /// change that must be made is not left out in silence. Only a configuration file can set this mode.
    Transform,
}

impl PluginMode {
    /// Returns the mode's word, in an attribute and in a configuration file.
    pub const fn as_str(self) -> &'static str {
        match self {
            PluginMode::Enforce => "enforce",
            PluginMode::Permissive => "permissive",
            PluginMode::Disabled => "disabled",
            PluginMode::Audit => "audit",
            PluginMode::Concurrent => "concurrent",
            PluginMode::FireAndForget => "fire_and_forget",
            PluginMode::Transform => "transform",
        }
    }

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

macro_rules! words {
    ($($word:ident = $mode:ident;)+) => {
        #[cfg(test)]
        pub(super) const WORDS: &[&str] = &[$(stringify!($word)),+];
    $(
        #[doc = concat!("[`PluginMode::", stringify!($mode), "`].")]
        #[expect(non_upper_case_globals, reason = "named after its word in an attribute")]
        pub const $word: PluginMode = PluginMode::$mode;
    )+};
}

words! {
    enforce = Enforce;
    permissive = Permissive;
    disabled = Disabled;
    audit = Audit;
    concurrent = Concurrent;
    fire_and_forget = FireAndForget;
}
