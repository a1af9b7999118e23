//! What the host allows: the one policy of a connection, closed until the host has spoken.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    ErrorObject, FeatureSetsUpdate, Receipt, ScopeLists, UnavailableFeature, Version, grant::Grant,
};

/// The policy of one connection (MCPL 0.4.1 §5.3, §6.7, §7.2; the capability grant of 0.5).
#[derive(Clone, Debug)]
pub(super) struct Policy {
    version: Version,
    /// Whether the host has said anything; until then nothing is allowed.
    received: bool,
    /// The feature sets that the host's lists allow.
    enabled: BTreeSet<String>,
    scopes: BTreeMap<String, ScopeLists>,
    /// 0.5 only.
    grant: Grant,
}

/// A feature set as the policy sees it: its name, and the capabilities that it uses.
pub(super) struct Declared<'a> {
    pub(super) name: &'a str,
    pub(super) uses: &'a [&'static str],
}

impl Policy {
    pub(super) fn closed(version: Version) -> Policy {
        Policy {
            version,
            received: false,
            enabled: BTreeSet::new(),
            scopes: BTreeMap::new(),
            grant: Grant::default(),
        }
    }

    pub(super) fn is_received(&self) -> bool {
        self.received
    }

    pub(super) fn is_enabled(&self, name: &str) -> bool {
        self.enabled.contains(name)
    }

    pub(super) fn enabled(&self) -> impl Iterator<Item = &str> {
        self.enabled.iter().map(String::as_str)
    }

    pub(super) fn scopes(&self) -> &BTreeMap<String, ScopeLists> {
        &self.scopes
    }

    pub(super) fn grant(&self) -> &Grant {
        &self.grant
    }

    /// Whether a capability is granted; on 0.4 there are no grants, and its feature set decides alone.
    pub(super) fn grants(&self, capability: &str) -> bool {
        match self.version {
            Version::V04 => true,
            _ => self.grant.covers(capability),
        }
    }

    /// What the notification says: on 0.4 it changes the sets that it names, on 0.5 it can only narrow.
    pub(super) fn notified(&mut self, update: &FeatureSetsUpdate, sets: &[Declared<'_>]) {
        if self.version == Version::V04 {
            self.received = true;
            self.change(update, sets);
        } else {
            self.disable(update, sets);
        }
    }

    /// What the request says, and what is answered.
    ///
    /// # Errors
    ///
    /// A path that is both granted and denied; then nothing changes.
    pub(super) fn requested(
        &mut self,
        update: &FeatureSetsUpdate,
        sets: &[Declared<'_>],
    ) -> Result<Receipt, ErrorObject> {
        if self.version == Version::V04 {
            self.received = true;
            self.change(update, sets);
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
        self.grant = Grant::of(granted);
        self.enabled = match &update.enabled {
            Some(patterns) => named(patterns, sets).collect(),
            None => sets.iter().map(|set| set.name.to_owned()).collect(),
        };
        self.disable(update, sets);
        Ok(self.receipt(sets))
    }

    /// Allows every set, for a 0.4 host that never says what it allows.
    pub(super) fn open(&mut self, sets: &[Declared<'_>]) {
        self.received = true;
        self.enabled = sets.iter().map(|set| set.name.to_owned()).collect();
    }

    /// A set is gone; should it come back, the host is to allow it again.
    pub(super) fn forget(&mut self, name: &str) {
        self.enabled.remove(name);
        self.scopes.remove(name);
    }

    fn change(&mut self, update: &FeatureSetsUpdate, sets: &[Declared<'_>]) {
        let patterns = update.enabled.as_deref().unwrap_or_default();
        self.enabled.extend(named(patterns, sets));
        self.disable(update, sets);
        for (name, lists) in update.scopes.iter().flatten() {
            // Only of sets that exist, so that what a peer sends does not pile up.
            if sets.iter().any(|set| set.name == name) {
                self.scopes.insert(name.clone(), lists.clone());
            }
        }
    }

    fn disable(&mut self, update: &FeatureSetsUpdate, sets: &[Declared<'_>]) {
        for name in named(update.disabled.as_deref().unwrap_or_default(), sets) {
            self.enabled.remove(&name);
        }
    }

    fn receipt(&self, sets: &[Declared<'_>]) -> Receipt {
        let mut unavailable = Vec::new();
        for set in sets.iter().filter(|set| self.is_enabled(set.name)) {
            let missing: Vec<String> = set
                .uses
                .iter()
                .filter(|path| !self.grant.covers(path))
                .map(|path| (*path).to_owned())
                .collect();
            if missing.is_empty() {
                continue;
            }
            let all = missing.len() == set.uses.len();
            let feature = UnavailableFeature::disabled(set.name, missing);
            unavailable.push(if all {
                feature
            } else {
                feature.effect("degraded")
            });
        }
        Receipt::accepted(unavailable)
    }
}

/// The sets that one of the patterns names: the name itself, `*`, or `prefix.*` (MCPL 0.4.1 §6.3).
fn named<'a>(
    patterns: &'a [String],
    sets: &'a [Declared<'a>],
) -> impl Iterator<Item = String> + 'a {
    let is_named = |name: &str| {
        patterns
            .iter()
            .any(|pattern| match pattern.strip_suffix('*') {
                Some("") => true,
                Some(prefix) if prefix.ends_with('.') => name.starts_with(prefix),
                _ => pattern == name,
            })
    };
    sets.iter()
        .filter(move |set| is_named(set.name))
        .map(|set| set.name.to_owned())
}
