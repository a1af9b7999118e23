//! What the host allows, and how that is said on the wire.

use hooks_core::glob;

use hooks_mcpl::{
    Version,
    wire::{FeatureSetsUpdate, ScopeLists, uses},
};

/// What the host allows a server.
///
/// One policy serves both versions: 0.4 sends the feature sets and the scopes of MCPL 0.4.1 §6.7, 0.5 the
/// feature sets and the capabilities. Names of feature sets may be patterns such as `memory.*`.
///
/// ```
/// use hooks_testing::mcpl_host::McplGrants;
///
/// let policy = McplGrants::new()
///     .enable(["memory.*"])
///     .disable(["memory.proactive"])
///     .whitelist("files.edit", ["/project/**"])
///     .blacklist("files.edit", ["**/.env"])
///     .grant(["pushEvents", "contextHooks.beforeInference.inject.*"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McplGrants {
    trusting: bool,
    /// The members of both versions.
    update: FeatureSetsUpdate,
}

/// What the lists say of one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    Black,
    White,
    Neither,
}

impl Listed {
    /// A blacklist goes before a whitelist (MCPL 0.4.1 §7.6).
    pub(super) fn by(lists: &ScopeLists, label: &str) -> Listed {
        if any(&lists.blacklist, label) {
            Listed::Black
        } else if any(&lists.whitelist, label) {
            Listed::White
        } else {
            Listed::Neither
        }
    }
}

impl McplGrants {
    /// Allows nothing until it is told what.
    pub fn new() -> McplGrants {
        McplGrants::default()
    }

    /// Allows whatever the server declares: in 0.4 each feature set by its name, in 0.5 every capability.
    pub fn trusting() -> McplGrants {
        McplGrants {
            trusting: true,
            ..McplGrants::default()
        }
    }

    /// Enables feature sets; in 0.5 no other is then enabled.
    #[must_use]
    pub fn enable<S: Into<String>>(mut self, sets: impl IntoIterator<Item = S>) -> McplGrants {
        add(&mut self.update.enabled, sets);
        self
    }

    /// Disables feature sets, also those that are enabled in the same policy.
    #[must_use]
    pub fn disable<S: Into<String>>(mut self, sets: impl IntoIterator<Item = S>) -> McplGrants {
        add(&mut self.update.disabled, sets);
        self
    }

    /// Approves the scopes of `set` whose label one of the patterns matches; 0.4 only.
    ///
    /// A `*` stands for any run of characters, so that `/project/**` is everything below `/project/`.
    #[must_use]
    pub fn whitelist<S: Into<String>>(
        mut self,
        set: impl Into<String>,
        patterns: impl IntoIterator<Item = S>,
    ) -> McplGrants {
        add(&mut self.lists(set.into()).whitelist, patterns);
        self
    }

    /// Denies the scopes of `set` whose label one of the patterns matches, whitelisted or not; 0.4 only.
    #[must_use]
    pub fn blacklist<S: Into<String>>(
        mut self,
        set: impl Into<String>,
        patterns: impl IntoIterator<Item = S>,
    ) -> McplGrants {
        add(&mut self.lists(set.into()).blacklist, patterns);
        self
    }

    /// Grants capabilities; 0.5 only.
    ///
    /// A `*` stands for exactly one segment; a path without its last segments grants nothing.
    #[must_use]
    pub fn grant<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> McplGrants {
        add(&mut self.update.effective_capabilities, paths);
        self
    }

    /// Names capabilities as denied, which only explains the grant; 0.5 only.
    ///
    /// One that is also granted makes the policy malformed, which a server refuses.
    #[must_use]
    pub fn deny<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> McplGrants {
        add(&mut self.update.denied_capabilities, paths);
        self
    }

    /// This policy as far as it was told what to allow.
    pub(super) fn told(mut self) -> McplGrants {
        self.trusting = false;
        self
    }

    fn lists(&mut self, set: String) -> &mut ScopeLists {
        let scopes = self.update.scopes.get_or_insert_default();
        scopes.entry(set).or_default()
    }

    /// This policy with what it means for the sets that are declared.
    pub(super) fn resolved(mut self, version: Version, declared: &[String]) -> McplGrants {
        if self.trusting {
            match version {
                Version::V04 => {
                    let enabled = self.update.enabled.get_or_insert_default();
                    enabled.extend_from_slice(declared);
                }
                _ => self = self.grant(uses(Version::V05).iter().copied()),
            }
        }
        self
    }

    /// What `featureSets/update` says of it.
    pub(super) fn update(&self, version: Version) -> FeatureSetsUpdate {
        let mut update = self.update.clone();
        if version == Version::V04 {
            update.effective_capabilities = None;
            update.denied_capabilities = None;
        } else {
            update.scopes = None;
        }
        update
    }
}

fn add<S: Into<String>>(list: &mut Option<Vec<String>>, more: impl IntoIterator<Item = S>) {
    let list = list.get_or_insert_default();
    for one in more.into_iter().map(Into::into) {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}

fn any(patterns: &Option<Vec<String>>, name: &str) -> bool {
    let patterns = patterns.as_deref().unwrap_or_default();
    patterns.iter().any(|pattern| glob::matches(pattern, name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_version_gets_its_own_members() {
        let policy = McplGrants::new()
            .enable(["a.*"])
            .disable(["a.b"])
            .whitelist("a.c", ["x*"])
            .grant(["tools"])
            .deny(["pushEvents"]);
        assert_eq!(
            json!(policy.update(Version::V04)),
            json!({"enabled": ["a.*"], "disabled": ["a.b"], "scopes": {"a.c": {"whitelist": ["x*"]}}})
        );
        assert_eq!(
            json!(policy.update(Version::V05)),
            json!({
                "enabled": ["a.*"], "disabled": ["a.b"],
                "effectiveCapabilities": ["tools"], "deniedCapabilities": ["pushEvents"],
            })
        );
        assert_eq!(json!(McplGrants::new().update(Version::V05)), json!({}));
    }
}
