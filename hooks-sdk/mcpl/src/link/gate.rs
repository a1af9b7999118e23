//! Whether the server may send something to the host now.

use crate::{
    Link, SendError, Version,
    link::{LinkPhase, Live, cx::is_in_hook, host_grants::HostPolicy},
};
use serde_json::Value;

impl Link {
    /// Checks whether a set may send. The connection, the task, the policy, the set and the grant must all allow it.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(super) fn gate(&self, name: &str, capability: Option<&str>) -> Result<(), SendError> {
        self.admits(name, capability)?;
        let live = self.live();
        match self.missing(name, |path| live.all(|policy| policy.grants(path))) {
            Some(path) => Err(SendError::NotGranted {
                capability: path.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Checks whether a set may handle a request of the host. Only this capability must be granted, not everything else
    /// that the set needs.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(super) fn admits(&self, name: &str, capability: Option<&str>) -> Result<(), SendError> {
        self.is_open(Some(name), || capability.or_else(|| self.uses(name).next()))?;
        let feature_set = || name.to_owned();
        let live = self.live();
        if !live.present.contains(name) {
            let feature_set = feature_set();
            return Err(SendError::UnknownFeatureSet { feature_set });
        }
        if !live.all(|policy| policy.is_enabled(name)) {
            let feature_set = feature_set();
            return Err(SendError::NotEnabled { feature_set });
        }
        let denied = |path: &&str| !live.all(|policy| policy.grants(path)) || self.denies(path);
        match capability.filter(denied) {
            Some(path) => Err(SendError::NotGranted {
                capability: path.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// Whether all policies in force grant a capability, and the host did not deny it in the handshake.
    pub(super) fn may_use(&self, capability: &str) -> bool {
        self.live().all(|policy| policy.grants(capability)) && !self.denies(capability)
    }

    /// Returns the first capability that a set needs and the host has not granted. Without it the whole set is disabled
    /// (MCPL 0.5 §6.4).
    fn missing(&self, name: &str, grants: impl Fn(&str) -> bool) -> Option<&'static str> {
        self.uses(name).find(|path| !grants(path))
    }

    fn uses(&self, name: &str) -> impl Iterator<Item = &'static str> {
        let set = self.derived.set(name).into_iter();
        set.flat_map(|set| set.uses(self.version)).copied()
    }

    /// Logs, for each set that the host's policy keeps from working, the reason. Logs it once until the policy allows
    /// the set again.
    pub(super) fn report_silent(&self) {
        let live = &mut *self.live();
        if !live.policy.received {
            return;
        }
        for &name in &live.present {
            let not_granted: Vec<&str> = self
                .uses(name)
                .filter(|path| !live.policy.grants(path))
                .collect();
            let enabled = live.policy.is_enabled(name);
            if enabled && not_granted.is_empty() {
                live.silent.remove(name);
            } else if live.silent.insert(name) {
                let why = if enabled {
                    "the host does not grant what it needs"
                } else {
                    "the host's policy does not enable it"
                };
                tracing::info!(
                    target: "hooks_sdk::mcpl",
                    feature_set = name,
                    ?not_granted,
                    "the feature set is silent: {why}"
                );
            }
        }
    }

    /// Whether a set works now: it is declared, the host's lists enable it, and everything that it needs is granted.
    pub(super) fn works(&self, live: &Live, name: &str) -> bool {
        live.present.contains(name)
            && live.policy.is_enabled(name)
            && self
                .missing(name, |path| live.policy.grants(path))
                .is_none()
    }

    /// Checks whether the connection is open for messages that belong to no feature set, such as announcements.
    pub(super) fn announces(&self) -> Result<(), SendError> {
        self.is_open(None, || Some("featureSets"))
    }

    /// Checks whether the connection and the task let anything be sent. A 0.5 host has to grant the `capability` first.
    fn is_open<'c>(
        &self,
        feature_set: Option<&str>,
        capability: impl FnOnce() -> Option<&'c str>,
    ) -> Result<(), SendError> {
        if is_in_hook() {
            return Err(SendError::InsideHook);
        }
        match *self.phase.borrow() {
            LinkPhase::Active => Ok(()),
            LinkPhase::AwaitingPolicy => Err(SendError::BeforePolicy {
                feature_set: feature_set.map(str::to_owned),
                capability: capability()
                    .filter(|_| self.version != Version::V04)
                    .map(str::to_owned),
            }),
            LinkPhase::Closed => Err(SendError::Closed),
        }
    }

    /// Whether the host denied the capability in the handshake. A capability that the host left out is not denied.
    fn denies(&self, capability: &str) -> bool {
        let mut at = self.host();
        for segment in capability.split('.') {
            match at.get(segment) {
                Some(Value::Bool(false)) => return true,
                Some(inner) => at = inner,
                None => return false,
            }
        }
        false
    }
}

impl Live {
    /// Whether all policies in force allow it: the latest one, and each older one whose successor is not answered yet.
    fn all(&self, allows: impl Fn(&HostPolicy) -> bool) -> bool {
        let before = self.unanswered.iter().map(|(_, policy)| policy);
        // Nothing precedes the first policy, so there is nothing to check; `phase` holds messages back until it is
        // answered.
        let mut before = before.filter(|policy| policy.received);
        allows(&self.policy) && before.all(allows)
    }
}
