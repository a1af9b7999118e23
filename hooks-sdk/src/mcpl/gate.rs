//! Whether something may be sent to the host now.

use super::{
    Link, SendError, Version,
    cx::is_in_hook,
    link::{Live, Phase},
    policy::Policy,
};
use serde_json::Value;

impl Link {
    /// Whether a sender may be used: by the connection, the task, the policy, the set and the grant.
    ///
    /// # Errors
    ///
    /// Why not.
    pub(super) fn gate(&self, name: &str, capability: Option<&str>) -> Result<(), SendError> {
        if is_in_hook() {
            return Err(SendError::InsideHook);
        }
        let feature_set = || name.to_owned();
        match *self.phase.borrow() {
            Phase::Active => {}
            Phase::AwaitingPolicy => {
                let first = || self.derived.set(name)?.uses(self.version).first().copied();
                let capability = capability.or_else(first);
                let capability = capability.filter(|_| self.version != Version::V04);
                let capability = capability.map(str::to_owned);
                return Err(SendError::BeforePolicy {
                    feature_set: Some(feature_set()),
                    capability,
                });
            }
            Phase::Closed => return Err(SendError::Closed),
        }
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
        let missing = match capability {
            Some(path) => Some(path).filter(denied),
            None => self.unavailable(&live, name),
        };
        match missing {
            Some(path) => Err(SendError::NotGranted {
                capability: path.to_owned(),
            }),
            None => Ok(()),
        }
    }

    /// The first of what a set needs, if the host grants nothing of it (0.5).
    pub(super) fn unavailable(&self, live: &Live, name: &str) -> Option<&'static str> {
        let uses = self.derived.set(name)?.uses(self.version);
        let granted = uses.iter().any(|path| live.policy.grants(path));
        uses.first().filter(|_| !granted).copied()
    }

    /// Whether anything may be said at all: what announces changes is in no feature set.
    pub(super) fn announces(&self) -> Result<(), SendError> {
        if is_in_hook() {
            return Err(SendError::InsideHook);
        }
        match *self.phase.borrow() {
            Phase::Active => Ok(()),
            Phase::AwaitingPolicy => Err(SendError::BeforePolicy {
                feature_set: None,
                capability: (self.version != Version::V04).then(|| "featureSets".to_owned()),
            }),
            Phase::Closed => Err(SendError::Closed),
        }
    }

    /// Whether the host said at the handshake that it has no such capability. What it left out it may have.
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
    /// Whether all policies that count allow it: the latest, and those whose successors are not answered yet.
    fn all(&self, allows: impl Fn(&Policy) -> bool) -> bool {
        let before = self.unanswered.iter().map(|(_, policy)| policy);
        // The first policy has none before it that says anything; that one waits by the phase.
        let mut before = before.filter(|policy| policy.is_received());
        allows(&self.policy) && before.all(allows)
    }
}
