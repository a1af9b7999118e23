//! What the host allows, and how that is said on the wire.

use std::collections::BTreeMap;

use hooks_core::glob;
use serde_json::{Map, Value, json};

use crate::{Version, wire::uses};

/// What the host allows a server.
///
/// One policy serves both versions: 0.4 sends the feature sets and the scopes of MCPL 0.4.1 §6.7, 0.5 the
/// feature sets and the capabilities. Names of feature sets may be patterns such as `memory.*`.
///
/// ```
/// use hooks_mcpl::host::McplGrants;
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
    enabled: Option<Vec<String>>,
    disabled: Option<Vec<String>>,
    scopes: BTreeMap<String, Scopes>,
    granted: Option<Vec<String>>,
    denied: Option<Vec<String>>,
}

/// The patterns of one feature set's scopes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Scopes {
    white: Option<Vec<String>>,
    black: Option<Vec<String>>,
}

/// What the lists say of one label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listed {
    Black,
    White,
    Neither,
}

impl Scopes {
    /// A blacklist goes before a whitelist (MCPL 0.4.1 §7.6).
    pub(super) fn judge(&self, label: &str) -> Listed {
        if any(&self.black, label) {
            Listed::Black
        } else if any(&self.white, label) {
            Listed::White
        } else {
            Listed::Neither
        }
    }

    fn as_value(&self) -> Value {
        let lists = [("whitelist", &self.white), ("blacklist", &self.black)];
        object(lists)
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
        add(&mut self.enabled, sets);
        self
    }

    /// Disables feature sets, also those that are enabled in the same policy.
    #[must_use]
    pub fn disable<S: Into<String>>(mut self, sets: impl IntoIterator<Item = S>) -> McplGrants {
        add(&mut self.disabled, sets);
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
        add(
            &mut self.scopes.entry(set.into()).or_default().white,
            patterns,
        );
        self
    }

    /// Denies the scopes of `set` whose label one of the patterns matches, whitelisted or not; 0.4 only.
    #[must_use]
    pub fn blacklist<S: Into<String>>(
        mut self,
        set: impl Into<String>,
        patterns: impl IntoIterator<Item = S>,
    ) -> McplGrants {
        add(
            &mut self.scopes.entry(set.into()).or_default().black,
            patterns,
        );
        self
    }

    /// Grants capabilities; 0.5 only.
    ///
    /// A `*` stands for exactly one segment; a path without its last segments grants nothing.
    #[must_use]
    pub fn grant<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> McplGrants {
        add(&mut self.granted, paths);
        self
    }

    /// Names capabilities as denied, which only explains the grant; 0.5 only.
    ///
    /// One that is also granted makes the policy malformed, which a server refuses.
    #[must_use]
    pub fn deny<S: Into<String>>(mut self, paths: impl IntoIterator<Item = S>) -> McplGrants {
        add(&mut self.denied, paths);
        self
    }

    /// This policy as far as it was told what to allow.
    pub(super) fn told(mut self) -> McplGrants {
        self.trusting = false;
        self
    }

    /// This policy with what it means for the sets that are declared.
    pub(super) fn resolved(mut self, version: Version, declared: &[String]) -> McplGrants {
        if self.trusting {
            match version {
                Version::V04 => {
                    self.enabled
                        .get_or_insert_default()
                        .extend_from_slice(declared);
                }
                _ => add(&mut self.granted, uses(Version::V05).iter().copied()),
            }
        }
        self
    }

    /// The params of `featureSets/update`.
    pub(super) fn params(&self, version: Version) -> Map<String, Value> {
        let mut params = match object([("enabled", &self.enabled), ("disabled", &self.disabled)]) {
            Value::Object(params) => params,
            _ => Map::new(),
        };
        if version == Version::V04 {
            let scopes = self.scopes.iter();
            let scopes: Map<_, _> = scopes
                .map(|(set, lists)| (set.clone(), lists.as_value()))
                .collect();
            if !scopes.is_empty() {
                params.insert("scopes".to_owned(), Value::Object(scopes));
            }
            return params;
        }
        for (member, paths) in [
            ("effectiveCapabilities", &self.granted),
            ("deniedCapabilities", &self.denied),
        ] {
            if let Some(paths) = paths {
                params.insert(member.to_owned(), json!(paths));
            }
        }
        params
    }

    pub(super) fn scopes(&self) -> &BTreeMap<String, Scopes> {
        &self.scopes
    }

    pub(super) fn enabled(&self) -> &[String] {
        self.enabled.as_deref().unwrap_or_default()
    }

    pub(super) fn disabled(&self) -> &[String] {
        self.disabled.as_deref().unwrap_or_default()
    }

    /// Whether a 0.5 host with this policy leaves the set usable.
    pub(super) fn admits(&self, set: &str) -> bool {
        (self.enabled.is_none() || any(&self.enabled, set)) && !any(&self.disabled, set)
    }

    /// Whether a 0.5 host with this policy grants the capability.
    pub(super) fn grants(&self, path: &str) -> bool {
        let paths = self.granted.as_deref().unwrap_or_default();
        paths.iter().any(|pattern| covers(pattern, path))
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

/// Whether a granted path, whose `*` is exactly one segment, is this one.
fn covers(pattern: &str, path: &str) -> bool {
    let (mut pattern, mut path) = (pattern.split('.'), path.split('.'));
    loop {
        match (pattern.next(), path.next()) {
            (None, None) => return true,
            (Some(own), Some(other)) if own == "*" || own == other => {}
            _ => return false,
        }
    }
}

fn object<const N: usize>(lists: [(&str, &Option<Vec<String>>); N]) -> Value {
    let there = lists.into_iter();
    let there = there.filter_map(|(name, list)| Some((name.to_owned(), json!(list.as_ref()?))));
    Value::Object(there.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_one_segment_of_a_capability() {
        for (pattern, path, expected) in [
            ("pushEvents", "pushEvents", true),
            ("*", "pushEvents", true),
            ("*", "channels.register", false),
            ("channels.*", "channels.register", true),
            ("channels", "channels.register", false),
            ("channels.register.x", "channels.register", false),
            ("*.*.observe", "contextHooks.beforeInference.observe", true),
        ] {
            let policy = McplGrants::new().grant([pattern]);
            assert_eq!(policy.grants(path), expected, "{pattern} on {path}");
        }
        assert!(!McplGrants::new().grants("pushEvents"));
    }

    #[test]
    fn each_version_gets_its_own_members() {
        let policy = McplGrants::new()
            .enable(["a.*"])
            .disable(["a.b"])
            .whitelist("a.c", ["x*"])
            .grant(["tools"])
            .deny(["pushEvents"]);
        assert_eq!(
            Value::Object(policy.params(Version::V04)),
            json!({"enabled": ["a.*"], "disabled": ["a.b"], "scopes": {"a.c": {"whitelist": ["x*"]}}})
        );
        assert_eq!(
            Value::Object(policy.params(Version::V05)),
            json!({
                "enabled": ["a.*"], "disabled": ["a.b"],
                "effectiveCapabilities": ["tools"], "deniedCapabilities": ["pushEvents"],
            })
        );
        assert_eq!(McplGrants::new().params(Version::V05), Map::new());
    }
}
