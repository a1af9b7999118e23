//! What the host allows: the one policy of a connection, as both sides of it judge. Nothing is allowed before the host has
//! sent it.

use std::collections::BTreeMap;

use crate::{
    ErrorObject, Version,
    wire::{FeatureSetsUpdate, Receipt, ScopeLists, UnavailableFeature, path},
};

/// The policy of one connection (MCPL 0.4.1 §5.3, §6.7, §7.2; the capability grant of 0.5).
#[derive(Clone, Debug)]
pub struct HostPolicy {
    version: Version,
    /// Whether the host has sent a policy. Until then nothing is allowed.
    pub(crate) received: bool,
    /// Whether the SDK assumes that everything is allowed, because the host sent no policy for too long.
    assumed: bool,
    /// The host's rules about feature sets, the latest last.
    rules: Vec<Rule>,
    scopes: BTreeMap<String, ScopeLists>,
    /// The paths of the capabilities that a 0.5 host granted, as received.
    pub(crate) granted: Vec<String>,
}

/// The most rules that are kept. Beyond that, the oldest are dropped.
const MAX_RULES: usize = 1024;

/// The longest pattern that is kept, in bytes. Names of sets are shorter.
const MAX_PATTERN: usize = 256;

/// Whether the host allows the sets that a pattern names.
#[derive(Clone, Debug)]
struct Rule {
    pattern: String,
    allows: bool,
}

impl Rule {
    /// Whether the pattern names a set: by its name, by `*`, or by `prefix.*` (MCPL 0.4.1 §6.3).
    fn names(&self, set: &str) -> bool {
        match self.pattern.strip_suffix('*') {
            Some("") => true,
            Some(prefix) if prefix.ends_with('.') => set.starts_with(prefix),
            _ => self.pattern == set,
        }
    }
}

/// A feature set as the policy sees it: its name and the capabilities that it uses.
#[derive(Debug)]
pub struct DeclaredSet<'a> {
    /// Its name.
    pub name: &'a str,
    /// The capabilities that it uses.
    pub uses: &'a [&'static str],
    /// Whether it is declared now. If not, it may be added later.
    pub present: bool,
}

impl HostPolicy {
    /// Allows nothing.
    pub fn closed(version: Version) -> HostPolicy {
        HostPolicy {
            version,
            received: false,
            assumed: false,
            rules: Vec::new(),
            scopes: BTreeMap::new(),
            granted: Vec::new(),
        }
    }

    /// Whether the latest rule that names a set allows it.
    pub fn is_enabled(&self, name: &str) -> bool {
        let rule = self.rules.iter().rev().find(|rule| rule.names(name));
        rule.is_some_and(|rule| rule.allows)
    }

    /// The scopes of each set.
    pub fn scopes(&self) -> &BTreeMap<String, ScopeLists> {
        &self.scopes
    }

    /// Whether a capability is granted. 0.4 has no grants: there only the feature set decides.
    pub fn grants(&self, capability: &str) -> bool {
        match self.version {
            Version::V04 => true,
            _ => covers(&self.granted, capability),
        }
    }

    /// Applies a notification. On 0.4 it changes the sets that it names; on 0.5 it can only narrow.
    ///
    /// `known` says which sets exist: only their scopes are kept, so that a host cannot fill the memory.
    pub fn notified(&mut self, update: &FeatureSetsUpdate, known: impl Fn(&str) -> bool) {
        if self.version == Version::V04 {
            self.received = true;
            self.change(update, known);
        } else {
            self.disable(update.disabled.as_deref().unwrap_or_default());
        }
    }

    /// Applies a request, and returns the receipt.
    ///
    /// # Errors
    ///
    /// A path is both granted and denied. The policy is then unchanged.
    pub fn requested(
        &mut self,
        update: &FeatureSetsUpdate,
        sets: &[DeclaredSet<'_>],
    ) -> Result<Receipt, ErrorObject> {
        if self.version == Version::V04 {
            self.received = true;
            self.change(update, |name| sets.iter().any(|set| set.name == name));
            return Ok(Receipt::accepted(Vec::new()));
        }
        let granted = update.effective_capabilities.as_deref().unwrap_or_default();
        let denied = update.denied_capabilities.as_deref().unwrap_or_default();
        if let Some(both) = granted.iter().find(|path| denied.contains(path)) {
            let message = format!(
                "`{both}` stands in effectiveCapabilities and in deniedCapabilities; leave it in one of them"
            );
            return Err(ErrorObject::invalid_params(message));
        }
        self.received = true;
        self.granted = kept(granted);
        self.rules.clear();
        match &update.enabled {
            Some(patterns) => self.add(patterns, true),
            None => self.add(&["*".to_owned()], true),
        }
        self.disable(update.disabled.as_deref().unwrap_or_default());
        Ok(self.receipt(sets))
    }

    /// Allows every set except `closed`, for a 0.4 host that never sends a policy.
    pub(crate) fn open(&mut self, closed: &[String]) {
        self.received = true;
        self.assumed = true;
        self.add(&["*".to_owned()], true);
        self.disable(closed);
    }

    fn change(&mut self, update: &FeatureSetsUpdate, known: impl Fn(&str) -> bool) {
        if std::mem::take(&mut self.assumed) {
            self.rules.clear();
        }
        self.add(update.enabled.as_deref().unwrap_or_default(), true);
        self.disable(update.disabled.as_deref().unwrap_or_default());
        for (name, lists) in update.scopes.iter().flatten() {
            if known(name) {
                self.scopes.insert(name.clone(), lists.clone());
            }
        }
    }

    /// Disables the sets that the patterns name. Never allows one.
    pub fn disable(&mut self, patterns: &[String]) {
        self.add(patterns, false);
    }

    /// Adds a rule for each pattern. It replaces an older rule of the same pattern.
    fn add(&mut self, patterns: &[String], allows: bool) {
        for pattern in patterns {
            if pattern.len() > MAX_PATTERN {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    "a pattern of more than {MAX_PATTERN} bytes names no feature set"
                );
                continue;
            }
            self.rules.retain(|rule| rule.pattern != *pattern);
            if self.rules.len() == MAX_RULES {
                tracing::warn!(
                    target: "hooks_sdk::mcpl",
                    "the host has sent more than {MAX_RULES} patterns; the oldest is forgotten"
                );
                self.rules.remove(0);
            }
            let pattern = pattern.clone();
            self.rules.push(Rule { pattern, allows });
        }
    }

    fn receipt(&self, sets: &[DeclaredSet<'_>]) -> Receipt {
        let mut unavailable = Vec::new();
        let declared = sets
            .iter()
            .filter(|set| set.present && !set.uses.is_empty());
        for set in declared.filter(|set| self.is_enabled(set.name)) {
            let missing: Vec<String> = set
                .uses
                .iter()
                .filter(|path| !covers(&self.granted, path))
                .map(|path| (*path).to_owned())
                .collect();
            if missing.is_empty() {
                continue;
            }
            unavailable.push(UnavailableFeature::disabled(set.name, missing));
        }
        Receipt::accepted(unavailable)
    }
}

/// The most paths that are kept. The protocol has 17.
const MAX_PATHS: usize = 1024;

/// The longest path that is kept, in bytes. The protocol's own are shorter.
const MAX_PATH: usize = 256;

/// Returns the paths of `effectiveCapabilities` that are kept.
fn kept(paths: &[String]) -> Vec<String> {
    if paths.len() > MAX_PATHS {
        tracing::warn!(
            target: "hooks_sdk::mcpl",
            paths = paths.len(),
            "the host grants more paths than there are; the first {MAX_PATHS} count"
        );
    }
    let kept = paths.iter().filter(|path| path.len() <= MAX_PATH);
    kept.take(MAX_PATHS).cloned().collect()
}

fn covers(granted: &[String], path: &str) -> bool {
    granted.iter().any(|pattern| path::covers(pattern, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_one_segment() {
        for (pattern, path, covered) in [
            ("tools", "tools", true),
            ("channels.*", "channels.publish", true),
            ("channels", "channels.publish", false),
            ("channels.publish", "channels", false),
            ("*", "tools", true),
            ("*", "channels.publish", false),
            (
                "contextHooks.*.inject.system",
                "contextHooks.beforeInference.inject.system",
                true,
            ),
            (
                "contextHooks.beforeInference.*",
                "contextHooks.beforeInference.inject.system",
                false,
            ),
            ("*.*", "channels.publish", true),
            ("", "tools", false),
            ("channels.p*", "channels.publish", false),
        ] {
            let granted = kept(&[pattern.to_owned()]);
            assert_eq!(covers(&granted, path), covered, "{pattern} of {path}");
        }
        assert!(!covers(&[], "tools"));
    }
}
