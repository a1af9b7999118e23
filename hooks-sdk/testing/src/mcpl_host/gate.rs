//! What is declared and allowed at this moment.

use hooks_mcpl::{ErrorObject, Version, internal::HostPolicy, wire::FeatureSetsUpdate};
use serde_json::{Map, Value};

use super::grants::Listed;

/// What the server declares, and what of it the host allows.
#[derive(Debug)]
pub(super) struct HostGate {
    version: Version,
    /// `experimental.mcpl` of the server; `None` while there is none.
    declared: Option<Value>,
    /// 0.4 before a policy of a host that says nothing: nothing is enforced.
    silent: bool,
    /// What every one of these allows. In 0.5 all but the first are not yet confirmed by the server.
    policies: Vec<Proposed>,
}

/// A policy, and by what the receipt for it is told from others.
#[derive(Debug)]
struct Proposed {
    ticket: u64,
    policy: HostPolicy,
}

impl HostGate {
    pub(super) fn new(version: Version, silent: bool) -> HostGate {
        HostGate {
            version,
            declared: None,
            silent: silent && version == Version::V04,
            policies: vec![Proposed {
                ticket: 0,
                policy: HostPolicy::closed(version),
            }],
        }
    }

    pub(super) fn declared(&self) -> Option<&Value> {
        self.declared.as_ref()
    }

    pub(super) fn declare(&mut self, manifest: Option<Value>) {
        self.declared = manifest;
    }

    /// The declared feature sets, by name.
    pub(super) fn sets(&self) -> Option<&Map<String, Value>> {
        self.declared.as_ref()?["featureSets"].as_object()
    }

    pub(super) fn names(&self) -> Vec<String> {
        let sets = self.sets().into_iter();
        sets.flat_map(Map::keys).cloned().collect()
    }

    /// Adds and removes feature sets, as `featureSets/changed` says.
    pub(super) fn change(&mut self, added: Map<String, Value>, removed: &[String]) {
        let Some(Value::Object(declared)) = &mut self.declared else {
            return;
        };
        let sets = declared.entry("featureSets");
        if let Value::Object(sets) = sets.or_insert_with(|| Value::Object(Map::new())) {
            sets.retain(|name, _| !removed.contains(name));
            sets.extend(added);
        }
    }

    /// Puts a policy in force that the server is told of but need not confirm (0.4).
    pub(super) fn update(&mut self, update: &FeatureSetsUpdate) {
        self.silent = false;
        for Proposed { policy, .. } in &mut self.policies {
            policy.notified(update, |_| true);
        }
    }

    /// Puts in force at once what a 0.5 policy takes away; what it gives waits for the receipt.
    pub(super) fn propose(&mut self, update: &FeatureSetsUpdate) -> u64 {
        let ticket = self.policies.last().map_or(0, |latest| latest.ticket) + 1;
        let mut policy = HostPolicy::closed(self.version);
        // One that is malformed allows nothing, until the server has refused it.
        _ = policy.requested(update, &[]);
        self.policies.push(Proposed { ticket, policy });
        ticket
    }

    /// Ends what `propose` began: the policy is in force in place of earlier ones, or nothing changes.
    pub(super) fn conclude(&mut self, ticket: u64, accepted: bool) {
        let mut policies = self.policies.iter();
        match policies.position(|proposed| proposed.ticket == ticket) {
            Some(at) if accepted => _ = self.policies.drain(..at),
            // The first is in force, and stays.
            Some(at) if at > 0 => _ = self.policies.remove(at),
            _ => {}
        }
    }

    /// Ends what `propose` began with nothing allowed, since the server does not work under the policy.
    pub(super) fn withdraw(&mut self, ticket: u64) {
        let policy = HostPolicy::closed(self.version);
        self.policies = vec![Proposed { ticket, policy }];
    }

    /// Takes sets away, as a notification.
    pub(super) fn narrow(&mut self, sets: &[String]) {
        self.silent = false;
        for Proposed { policy, .. } in &mut self.policies {
            policy.disable(sets);
        }
    }

    /// Whether every policy allows something.
    fn all(&self, allows: impl Fn(&HostPolicy) -> bool) -> bool {
        self.policies.iter().all(|one| allows(&one.policy))
    }

    /// Whether the set is declared and enabled.
    ///
    /// The error is what a host answers to a message that names it (MCPL 0.4.1 §6.6).
    pub(super) fn check_set(&self, set: &str) -> Result<(), ErrorObject> {
        if !self.sets().is_some_and(|sets| sets.contains_key(set)) {
            return Err(ErrorObject::unknown_feature_set(set));
        }
        let admits = |policy: &HostPolicy| {
            policy.is_enabled(set) && self.uses(set).all(|path| policy.grants(path))
        };
        if self.silent || self.all(admits) {
            return Ok(());
        }
        let can_enable = (self.version == Version::V04).then_some(true);
        Err(ErrorObject::feature_set_not_enabled(set, can_enable))
    }

    /// What a set needs: a host of 0.5 that denies any of it disables the set (MCPL 0.5 §6.4).
    fn uses(&self, set: &str) -> impl Iterator<Item = &str> {
        let uses = self
            .sets()
            .and_then(|sets| sets.get(set)?.get("uses")?.as_array());
        uses.into_iter().flatten().filter_map(Value::as_str)
    }

    /// Whether the capability is granted, which 0.4 does not ask.
    pub(super) fn check_capability(&self, path: &str) -> Result<(), ErrorObject> {
        match self.all(|policy| policy.grants(path)) {
            true => Ok(()),
            false => Err(ErrorObject::capability_denied(path)),
        }
    }

    /// What the scope lists of the set say of a label. 0.5 has none.
    pub(super) fn judge(&self, set: &str, label: &str) -> Listed {
        let mut lists = self
            .policies
            .iter()
            .filter_map(|one| one.policy.scopes().get(set));
        let lists = lists.next();
        lists.map_or(Listed::Neither, |lists| Listed::by(lists, label))
    }

    /// Whether no blacklist denies the scope of a call: that of its feature set, or without one that of any set (MCPL 0.4.1 §7.7).
    pub(super) fn check_scope(&self, set: Option<&str>, label: &str) -> Result<(), ErrorObject> {
        let mut sets = self.sets().into_iter().flatten().map(|(name, _)| name);
        let is_denied = |name: &str| self.judge(name, label) == Listed::Black;
        let is_denied = match set {
            Some(set) => is_denied(set),
            None => sets.any(|name| is_denied(name)),
        };
        match is_denied {
            true => Err(ErrorObject::invalid_params(format!(
                "the scope `{label}` is on the host's blacklist"
            ))),
            false => Ok(()),
        }
    }

    /// Whether a blacklist of a feature set that uses channels names the channel (MCPL 0.4.1 §14.5).
    pub(super) fn check_channel(&self, id: &str) -> Result<(), ErrorObject> {
        let uses_channels = |set: &Value| {
            let uses = set["uses"].as_array().into_iter().flatten();
            uses.filter_map(Value::as_str)
                .any(|path| path.starts_with("channels."))
        };
        let mut sets = self.sets().into_iter().flatten();
        let forbidden =
            sets.any(|(name, set)| uses_channels(set) && self.judge(name, id) == Listed::Black);
        if forbidden {
            return Err(ErrorObject::channel_not_permitted(id));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::McplGrants, *};

    fn gate(version: Version) -> HostGate {
        let mut gate = HostGate::new(version, false);
        let set = json!({"description": "d", "uses": ["pushEvents"]});
        gate.declare(Some(json!({"featureSets": {"a.b": set, "a.c": set}})));
        gate
    }

    fn code(result: Result<(), ErrorObject>) -> i64 {
        result.map_or_else(|error| error.code, |()| 0)
    }

    #[test]
    fn later_updates_change_only_what_they_name() {
        let mut gate = gate(Version::V04);
        assert_eq!(code(gate.check_set("a.b")), -32001);
        gate.update(
            &McplGrants::new()
                .enable(["a.*"])
                .disable(["a.c"])
                .update(Version::V04),
        );
        assert_eq!(code(gate.check_set("a.b")), 0);
        assert_eq!(code(gate.check_set("a.c")), -32001);
        gate.update(&McplGrants::new().enable(["a.c"]).update(Version::V04));
        assert_eq!(code(gate.check_set("a.b")), 0);
        assert_eq!(code(gate.check_set("a.c")), 0);
        gate.update(&McplGrants::new().disable(["*"]).update(Version::V04));
        assert_eq!(code(gate.check_set("a.c")), -32001);
        assert_eq!(code(gate.check_set("a.d")), -32003);
    }

    #[test]
    fn a_grant_counts_from_the_receipt_on_and_its_loss_at_once() {
        let mut gate = gate(Version::V05);
        let wide = McplGrants::new().grant(["pushEvents"]).update(Version::V05);
        let ticket = gate.propose(&wide);
        assert_eq!(code(gate.check_capability("pushEvents")), -32002);
        gate.conclude(ticket, true);
        assert_eq!(code(gate.check_capability("pushEvents")), 0);
        let ticket = gate.propose(&McplGrants::new().update(Version::V05));
        assert_eq!(code(gate.check_capability("pushEvents")), -32002);
        gate.conclude(ticket, false);
        assert_eq!(code(gate.check_capability("pushEvents")), 0);
        gate.narrow(&["a.b".to_owned()]);
        assert_eq!(code(gate.check_set("a.b")), -32001);
        assert_eq!(code(gate.check_set("a.c")), 0);
    }
}
