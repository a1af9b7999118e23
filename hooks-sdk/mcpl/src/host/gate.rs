//! What is declared and allowed at this moment.

use std::collections::BTreeMap;

use hooks_core::glob;
use serde_json::{Map, Value};

use super::grants::{Listed, McplGrants};
use crate::{ErrorObject, Version, wire::ScopeLists};

/// What the server declares, and what of it the host allows.
#[derive(Debug)]
pub(super) struct HostGate {
    /// `experimental.mcpl` of the server; `None` while there is none.
    declared: Option<Value>,
    rules: HostRules,
}

#[derive(Debug)]
enum HostRules {
    /// 0.4 before a policy: nothing was said, and nothing is enforced when nothing will be.
    Silent,
    /// 0.4: the last rule that names a set decides.
    Named {
        sets: Vec<(String, bool)>,
        scopes: BTreeMap<String, ScopeLists>,
    },
    /// 0.5: what every one of these allows; all but the first are not yet confirmed by the server.
    Granted(Vec<Proposed>),
}

/// A policy, and by what the receipt for it is told from others.
#[derive(Debug)]
struct Proposed {
    ticket: u64,
    policy: McplGrants,
}

impl HostGate {
    pub(super) fn new(version: Version, silent: bool) -> HostGate {
        let rules = match version {
            Version::V04 if silent => HostRules::Silent,
            Version::V04 => HostRules::named(),
            _ => HostRules::Granted(vec![Proposed {
                ticket: 0,
                policy: McplGrants::new(),
            }]),
        };
        HostGate {
            declared: None,
            rules,
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
    pub(super) fn update(&mut self, policy: &McplGrants) {
        if matches!(self.rules, HostRules::Silent) {
            self.rules = HostRules::named();
        }
        let HostRules::Named { sets, scopes } = &mut self.rules else {
            return;
        };
        let enabled = policy.enabled().iter().map(|set| (set.clone(), true));
        let disabled = policy.disabled().iter().map(|set| (set.clone(), false));
        for (set, on) in enabled.chain(disabled) {
            sets.retain(|(earlier, _)| *earlier != set);
            sets.push((set, on));
        }
        let lists = policy.scopes();
        scopes.extend(lists.map(|(set, lists)| (set.clone(), lists.clone())));
    }

    /// Puts in force at once what a 0.5 policy takes away; what it gives waits for the receipt.
    pub(super) fn propose(&mut self, policy: &McplGrants) -> u64 {
        let HostRules::Granted(policies) = &mut self.rules else {
            return 0;
        };
        let ticket = policies.last().map_or(0, |latest| latest.ticket) + 1;
        let policy = policy.clone();
        policies.push(Proposed { ticket, policy });
        ticket
    }

    /// Ends what `propose` began: the policy is in force in place of earlier ones, or nothing changes.
    pub(super) fn conclude(&mut self, ticket: u64, accepted: bool) {
        let HostRules::Granted(policies) = &mut self.rules else {
            return;
        };
        match policies
            .iter()
            .position(|proposed| proposed.ticket == ticket)
        {
            Some(at) if accepted => _ = policies.drain(..at),
            // The first is in force, and stays.
            Some(at) if at > 0 => _ = policies.remove(at),
            _ => {}
        }
    }

    /// Ends what `propose` began with nothing allowed, since the server does not work under the policy.
    pub(super) fn withdraw(&mut self, ticket: u64) {
        let policy = McplGrants::new();
        self.rules = HostRules::Granted(vec![Proposed { ticket, policy }]);
    }

    /// Takes sets away (0.5, as a notification).
    pub(super) fn narrow(&mut self, sets: &[String]) {
        match &mut self.rules {
            HostRules::Granted(policies) => {
                for Proposed { policy, .. } in policies {
                    *policy = policy.clone().disable(sets.iter().map(String::as_str));
                }
            }
            _ => self.update(&McplGrants::new().disable(sets.iter().map(String::as_str))),
        }
    }

    /// Whether the set is declared and enabled.
    ///
    /// The error is what a host answers to a message that names it (MCPL 0.4.1 §6.6).
    pub(super) fn check_set(&self, set: &str) -> Result<(), ErrorObject> {
        if !self.sets().is_some_and(|sets| sets.contains_key(set)) {
            return Err(ErrorObject::unknown_feature_set(set));
        }
        let (enabled, can_enable) = match &self.rules {
            HostRules::Silent => (true, None),
            HostRules::Named { sets, .. } => {
                let mut latest = sets.iter().rev();
                let rule = latest.find(|(pattern, _)| glob::matches(pattern, set));
                (rule.is_some_and(|(_, on)| *on), Some(true))
            }
            HostRules::Granted(policies) => {
                let admits = |one: &Proposed| {
                    one.policy.admits(set) && self.uses(set).all(|path| one.policy.grants(path))
                };
                (policies.iter().all(admits), None)
            }
        };
        if enabled {
            Ok(())
        } else {
            Err(ErrorObject::feature_set_not_enabled(set, can_enable))
        }
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
        match &self.rules {
            HostRules::Granted(policies) if !policies.iter().all(|one| one.policy.grants(path)) => {
                Err(ErrorObject::capability_denied(path))
            }
            _ => Ok(()),
        }
    }

    /// What the scope lists of the set say of a label.
    pub(super) fn judge(&self, set: &str, label: &str) -> Listed {
        match &self.rules {
            HostRules::Named { scopes, .. } => {
                let lists = scopes.get(set);
                lists.map_or(Listed::Neither, |lists| Listed::by(lists, label))
            }
            _ => Listed::Neither,
        }
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

impl HostRules {
    fn named() -> HostRules {
        HostRules::Named {
            sets: Vec::new(),
            scopes: BTreeMap::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
        gate.update(&McplGrants::new().enable(["a.*"]).disable(["a.c"]));
        assert_eq!(code(gate.check_set("a.b")), 0);
        assert_eq!(code(gate.check_set("a.c")), -32001);
        gate.update(&McplGrants::new().enable(["a.c"]));
        assert_eq!(code(gate.check_set("a.b")), 0);
        assert_eq!(code(gate.check_set("a.c")), 0);
        gate.update(&McplGrants::new().disable(["*"]));
        assert_eq!(code(gate.check_set("a.c")), -32001);
        assert_eq!(code(gate.check_set("a.d")), -32003);
    }

    #[test]
    fn a_grant_counts_from_the_receipt_on_and_its_loss_at_once() {
        let mut gate = gate(Version::V05);
        let wide = McplGrants::new().grant(["pushEvents"]);
        let ticket = gate.propose(&wide);
        assert_eq!(code(gate.check_capability("pushEvents")), -32002);
        gate.conclude(ticket, true);
        assert_eq!(code(gate.check_capability("pushEvents")), 0);
        let ticket = gate.propose(&McplGrants::new());
        assert_eq!(code(gate.check_capability("pushEvents")), -32002);
        gate.conclude(ticket, false);
        assert_eq!(code(gate.check_capability("pushEvents")), 0);
        gate.narrow(&["a.b".to_owned()]);
        assert_eq!(code(gate.check_set("a.b")), -32001);
        assert_eq!(code(gate.check_set("a.c")), 0);
    }
}
