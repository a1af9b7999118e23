//! The start-up check of the entries of MCPL, including those made by hand.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    Definition, Derived, McplHook, Position, Version, answering::Answering, derived::DerivedSet,
    hook::Part, point::At, rule, wire::manifest,
};
use hooks_core::{BuildError, Problem, Registry, internal::Findings};

/// Returns everything that is wrong with the registry's MCPL entries: the rules that the attributes check too, and the
/// rules about several entries together.
pub fn problems(registry: &Registry) -> Vec<BuildError> {
    let mut found = Entries {
        entries: registry.details::<McplHook>().collect(),
        found: Findings::default(),
    };
    for at in 0..found.entries.len() {
        found.entry(at);
    }
    found.context(At::BeforeInference);
    found.context(At::AfterInference);
    for at in ONE_EACH {
        found.one_each(at);
    }
    for set in Derived::of(registry).sets() {
        found.set(set);
    }
    found.found.all()
}

/// The points at which only one hook of a feature set can answer: the SDK would never call a second.
const ONE_EACH: [At; 5] = [
    At::Rollback,
    At::ChannelsOpen,
    At::ChannelsClose,
    At::ChannelsPublish,
    At::ChannelsAcknowledge,
];

struct Entries<'r> {
    entries: Vec<(&'r hooks_core::Hook, &'r McplHook)>,
    found: Findings,
}

impl<'r> Entries<'r> {
    /// Checks one entry by itself. If it is the first entry of its set, checks the set too.
    fn entry(&mut self, at: usize) {
        let (entry, hook) = self.entries[at];
        let set = hook.definition();
        let first = self.entries[..at]
            .iter()
            .find(|(_, other)| other.definition().name == set.name);
        match first {
            None => {
                self.broken(
                    entry,
                    "name of the feature set",
                    set.name,
                    rule::name(set.name),
                );
                let description = rule::description(set.description);
                self.broken(
                    entry,
                    "description of the feature set",
                    set.name,
                    description,
                );
                self.senders(entry, set);
                self.ontology(entry, set);
            }
            Some((other, first)) if first.set() != hook.set() && self.is_first_of_its_set(at) => {
                let message = format!(
                    "a second feature set of the name `{}`; the first is at {}",
                    set.name,
                    other.origin()
                );
                self.note(entry, message, "rename one of them");
            }
            Some(_) => {}
        }
        match &hook.part {
            Part::Set => {}
            Part::Tool(tool) => {
                if let Some(argument) = &tool.scope {
                    self.broken(entry, "scope of the tool", hook.id(), rule::scope(argument));
                    if !set.scoped {
                        let message = format!(
                            "the tool `{}` has a scope, but its feature set `{}` is not scoped",
                            hook.id(),
                            set.name
                        );
                        self.note(entry, message, "add `scoped` to the feature set");
                    }
                }
            }
            Part::Answer(answering) => self.hook(entry, hook, answering),
        }
    }

    /// Whether no earlier entry belongs to the same feature set.
    fn is_first_of_its_set(&self, at: usize) -> bool {
        let set = self.entries[at].1.set();
        self.entries[..at].iter().all(|(_, hook)| hook.set() != set)
    }

    fn senders(&mut self, entry: &hooks_core::Hook, set: &Definition) {
        for sender in set
            .sends
            .iter()
            .filter(|sender| set.optional.contains(sender))
        {
            let word = sender.as_str();
            let message = format!(
                "the feature set `{}` names `{word}` as needed and as optional",
                set.name
            );
            self.note(entry, message, "remove one of them");
        }
    }

    fn ontology(&mut self, entry: &hooks_core::Hook, set: &Definition) {
        let Some(text) = set.tag_ontology else { return };
        let read =
            serde_json::from_str::<Map<String, Value>>(text).map_err(|error| error.to_string());
        let checked = read.and_then(|ontology| {
            let manifest = json!({ "featureSets": { set.name: { "tagOntology": ontology } } });
            manifest::canonical(&manifest).map_err(|error| error.to_string())
        });
        if let Err(error) = checked {
            let message = format!(
                "the tag ontology of the feature set `{}`: {error}",
                set.name
            );
            let help = "write the JSON object that MCPL 0.5 calls `tagOntology`";
            self.note(entry, message, help);
        }
    }

    fn hook(&mut self, entry: &hooks_core::Hook, hook: &McplHook, answering: &Answering) {
        let (id, at) = (hook.id(), answering.at);
        self.broken(entry, "id of the hook", id, rule::id(id));
        // Where no host waits, the default deadline may be unlimited, which the rule would refuse.
        let guard = answering.callback.guard();
        if guard.deadline != at.deadline() {
            let ms = u64::try_from(guard.deadline.as_millis()).unwrap_or(u64::MAX);
            self.broken(
                entry,
                "deadline of the hook",
                id,
                rule::deadline_ms(at.as_str(), ms),
            );
        }
        if answering.inject.is_some() {
            self.broken(entry, "hook", id, rule::inject(at.as_str()));
            self.broken(entry, "hook", id, rule::inject_nothing(at, answering.says));
        }
        if !answering.optional.is_empty() {
            self.broken(entry, "hook", id, rule::optional(at.as_str()));
            self.broken(entry, "hook", id, rule::inject_nothing(at, answering.says));
        }
        let both = |position: &&Position| answering.needs().any(|needed| needed == **position);
        for position in answering.optional.iter().filter(both) {
            let message = format!(
                "the hook `{id}` names the position `{position}` as needed and as optional"
            );
            self.note(entry, message, "remove one of them");
        }
        if answering.observe.is_some() {
            self.broken(entry, "hook", id, rule::observe(at.as_str()));
        }
        if answering.blocking {
            self.broken(entry, "hook", id, rule::blocking(at.as_str()));
        }
        let changes = rule::change(at, answering.blocking, answering.says);
        self.broken(entry, "hook", id, changes);
        if at == At::Rollback && !hook.definition().rollback {
            let message = format!(
                "the hook `{id}` rolls back the feature set `{}`, which is not declared with rollback",
                hook.definition().name
            );
            let help = "add `rollback` to the feature set";
            self.note(entry, message, help);
        }
    }

    /// The host's request names no feature set, and the answer names one. So all hooks at a context point belong to one
    /// set.
    fn context(&mut self, at: At) {
        let mut hooks = self
            .entries
            .iter()
            .filter(|(_, hook)| hook.at() == Some(at));
        let Some(&(_, first)) = hooks.next() else {
            return;
        };
        let others: Vec<(&hooks_core::Hook, &McplHook)> = hooks
            .filter(|(_, hook)| hook.definition().name != first.definition().name)
            .copied()
            .collect();
        for (entry, hook) in others {
            let message = format!(
                "the hooks `{}` and `{}` stand at `{}` for two feature sets, `{}` and `{}`, and an answer there is \
                 of one",
                first.id(),
                hook.id(),
                at.as_str(),
                first.definition().name,
                hook.definition().name
            );
            let help = "give both hooks the same feature set, or make one hook of them";
            self.note(entry, message, help);
        }
    }

    /// Checks that a feature set has no second hook where only the first would be called.
    fn one_each(&mut self, at: At) {
        let mut first: BTreeMap<&str, &McplHook> = BTreeMap::new();
        for (entry, hook) in self.entries.clone() {
            if hook.at() != Some(at) {
                continue;
            }
            let set = hook.definition().name;
            let Some(other) = first.insert(set, hook) else {
                continue;
            };
            let message = format!(
                "the hooks `{}` and `{}` of the feature set `{set}` both answer at `{}`, where one does",
                other.id(),
                hook.id(),
                at.as_str()
            );
            self.note(entry, message, "make one hook of them");
        }
    }

    /// Checks a feature set against all of its entries.
    fn set(&mut self, set: &DerivedSet) {
        let name = set.definition().name;
        let of_set = |hook: &&McplHook| hook.definition().name == name;
        let entries = self.entries.iter().filter(|(_, hook)| of_set(hook));
        let named = entries.clone().any(|(_, hook)| hook.names_its_set());
        let rolls_back = entries
            .clone()
            .any(|(_, hook)| hook.at() == Some(At::Rollback));
        let Some(&(entry, _)) = entries.clone().next() else {
            return;
        };
        if [Version::V04, Version::V05]
            .iter()
            .all(|&version| set.uses(version).is_empty())
        {
            if named {
                let message = format!(
                    "the feature set `{name}` uses nothing that a host can grant, so that none hears of it"
                );
                let help = "give it another hook, a tool, or a sender that it needs";
                self.note(entry, message, help);
            } else {
                let message = format!(
                    "no hook and no tool names the feature set `{name}`, and it sends nothing"
                );
                let help =
                    "name it in a hook, `#[mcpl::hook(…, feature_set = …)]`, or give it `sends(…)`";
                self.note(entry, message, help);
            }
            return;
        }
        if set.definition().rollback && !rolls_back {
            let message = format!(
                "the feature set `{name}` is declared with rollback, and no hook rolls it back"
            );
            let help =
                "add a hook, `#[mcpl::hook(rollback, feature_set = …)]`, or remove `rollback`";
            self.note(entry, message, help);
        }
    }

    /// Records a broken rule about the `what` called `name`.
    fn broken(
        &mut self,
        entry: &hooks_core::Hook,
        what: &str,
        name: &str,
        broken: Option<Problem>,
    ) {
        let origin = entry.origin();
        self.found
            .rule(origin, format_args!("the {what} `{name}`"), broken);
    }

    fn note(&mut self, entry: &hooks_core::Hook, message: String, help: &'static str) {
        self.found.add(entry.origin(), message, help);
    }
}
