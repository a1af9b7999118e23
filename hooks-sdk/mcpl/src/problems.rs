//! The start-up check of the entries of MCPL, including those made by hand.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{
    Definition, Derived, McplHook, Position, Version, answering::Answering, derived::DerivedSet,
    hook::Part, point::At, rule, sender::Sender, wire::manifest,
};
use hooks_core::{BuildError, Origin, Registry, internal::Findings};

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
        let (origin, set) = (entry.origin(), hook.definition());
        let name = set.name;
        let mut earlier = self.entries[..at].iter();
        match earlier.find(|(_, other)| other.definition().name == name) {
            None => self.definition(origin, set),
            Some((other, first)) if first.set() != hook.set() && self.is_first_of_its_set(at) => {
                let first = other.origin();
                let message =
                    format!("a second feature set of the name `{name}`; the first is at {first}");
                self.found.add(origin, message, "rename one of them");
            }
            Some(_) => {}
        }
        match &hook.part {
            Part::Set => {}
            Part::Tool(tool) => {
                let Some(argument) = &tool.scope else { return };
                let tool = hook.id();
                let part = format_args!("the scope of the tool `{tool}`");
                self.found.rule(origin, part, rule::scope(argument));
                if !set.scoped {
                    let message = format!(
                        "the tool `{tool}` has a scope, but its feature set `{name}` is not scoped"
                    );
                    self.found
                        .add(origin, message, "add `scoped` to the feature set");
                }
            }
            Part::Answer(answering) => self.hook(origin, hook, answering),
        }
    }

    /// Whether no earlier entry belongs to the same feature set.
    fn is_first_of_its_set(&self, at: usize) -> bool {
        let set = self.entries[at].1.set();
        self.entries[..at].iter().all(|(_, hook)| hook.set() != set)
    }

    /// Checks the definition of a set.
    fn definition(&mut self, origin: Origin, set: &Definition) {
        let name = set.name;
        for (what, broken) in [
            ("name", rule::name(name)),
            ("description", rule::description(set.description)),
        ] {
            let part = format_args!("the {what} of the feature set `{name}`");
            self.found.rule(origin, part, broken);
        }
        let both = |sender: &&Sender| set.optional.contains(sender);
        for sender in set.sends.iter().filter(both) {
            let message =
                format!("the feature set `{name}` names `{sender}` as needed and as optional");
            self.found.add(origin, message, "remove one of them");
        }
        let Some(text) = set.tag_ontology else { return };
        let read =
            serde_json::from_str::<Map<String, Value>>(text).map_err(|error| error.to_string());
        let checked = read.and_then(|ontology| {
            let manifest = json!({ "featureSets": { name: { "tagOntology": ontology } } });
            manifest::canonical(&manifest).map_err(|error| error.to_string())
        });
        if let Err(error) = checked {
            let message = format!("the tag ontology of the feature set `{name}`: {error}");
            let help = "write the JSON object that MCPL 0.5 calls `tagOntology`";
            self.found.add(origin, message, help);
        }
    }

    fn hook(&mut self, origin: Origin, hook: &McplHook, answering: &Answering) {
        let (id, at) = (hook.id(), answering.at);
        let (word, says) = (at.as_str(), answering.says);
        let part = format_args!("the id of the hook `{id}`");
        self.found.rule(origin, part, rule::id(id));
        // Where no host waits, the default deadline may be unlimited, which the rule would refuse.
        let guard = answering.callback.guard();
        if guard.deadline != at.deadline() {
            let ms = u64::try_from(guard.deadline.as_millis()).unwrap_or(u64::MAX);
            let part = format_args!("the deadline of the hook `{id}`");
            self.found.rule(origin, part, rule::deadline_ms(word, ms));
        }
        let (injects, wants) = (answering.inject.is_some(), !answering.optional.is_empty());
        let nothing = rule::inject_nothing(at, says);
        for (is_set, broken) in [
            (injects, rule::inject(word)),
            (injects, nothing),
            (wants, rule::optional(word)),
            (wants, nothing),
            (answering.observe.is_some(), rule::observe(word)),
            (answering.blocking, rule::blocking(word)),
            (true, rule::change(at, answering.blocking, says)),
        ] {
            let part = format_args!("the hook `{id}`");
            self.found.rule(origin, part, broken.filter(|_| is_set));
        }
        let both = |position: &&Position| answering.needs().any(|needed| needed == **position);
        for position in answering.optional.iter().filter(both) {
            let message = format!(
                "the hook `{id}` names the position `{position}` as needed and as optional"
            );
            self.found.add(origin, message, "remove one of them");
        }
        if at == At::Rollback && !hook.definition().rollback {
            let message = format!(
                "the hook `{id}` rolls back the feature set `{}`, which is not declared with rollback",
                hook.definition().name
            );
            let help = "add `rollback` to the feature set";
            self.found.add(origin, message, help);
        }
    }

    /// The host's request names no feature set, and the answer names one. So all hooks at a context point belong to one
    /// set.
    fn context(&mut self, at: At) {
        let mut hooks = self
            .entries
            .iter()
            .filter(|(_, hook)| hook.at() == Some(at));
        let Some((_, first)) = hooks.next() else {
            return;
        };
        let (own, at) = (first.definition().name, at.as_str());
        for (entry, hook) in hooks.filter(|(_, hook)| hook.definition().name != own) {
            let message = format!(
                "the hooks `{}` and `{}` stand at `{at}` for two feature sets, `{own}` and `{}`, and an answer there is \
                 of one",
                first.id(),
                hook.id(),
                hook.definition().name
            );
            let help = "give both hooks the same feature set, or make one hook of them";
            self.found.add(entry.origin(), message, help);
        }
    }

    /// Checks that a feature set has no second hook where only the first would be called.
    fn one_each(&mut self, at: At) {
        let mut first: BTreeMap<&str, &McplHook> = BTreeMap::new();
        for (entry, hook) in self
            .entries
            .iter()
            .filter(|(_, hook)| hook.at() == Some(at))
        {
            let set = hook.definition().name;
            let Some(other) = first.insert(set, hook) else {
                continue;
            };
            let message = format!(
                "the hooks `{}` and `{}` of the feature set `{set}` both answer at `{at}`, where one does",
                other.id(),
                hook.id()
            );
            self.found
                .add(entry.origin(), message, "make one hook of them");
        }
    }

    /// Checks a feature set against all of its entries.
    fn set(&mut self, set: &DerivedSet) {
        let name = set.definition().name;
        let of_set = |entry: &&(&hooks_core::Hook, &McplHook)| entry.1.definition().name == name;
        let entries = self.entries.iter().filter(of_set);
        let named = entries.clone().any(|(_, hook)| hook.names_its_set());
        let rolls_back = entries
            .clone()
            .any(|(_, hook)| hook.at() == Some(At::Rollback));
        let Some((entry, _)) = entries.clone().next() else {
            return;
        };
        let unused = [Version::V04, Version::V05]
            .iter()
            .all(|&version| set.uses(version).is_empty());
        let (message, help) = match (unused, named) {
            (true, true) => (
                format!(
                    "the feature set `{name}` uses nothing that a host can grant, so that none hears of it"
                ),
                "give it another hook, a tool, or a sender that it needs",
            ),
            (true, false) => (
                format!("no hook and no tool names the feature set `{name}`, and it sends nothing"),
                "name it in a hook, `#[mcpl::hook(…, feature_set = …)]`, or give it `sends(…)`",
            ),
            (false, _) if set.definition().rollback && !rolls_back => (
                format!(
                    "the feature set `{name}` is declared with rollback, and no hook rolls it back"
                ),
                "add a hook, `#[mcpl::hook(rollback, feature_set = …)]`, or remove `rollback`",
            ),
            (false, _) => return,
        };
        self.found.add(entry.origin(), message, help);
    }
}
